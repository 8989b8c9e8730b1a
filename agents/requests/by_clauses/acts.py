"""What one clause of a chain does: arithmetic with tensors, numbers and earlier values, products, casts, layers.

Everything else is an operator alone, which the other readers read.
"""

import ast
import re
from collections.abc import Callable, Sequence
from functools import cache

from akgen.agents.requests.by_clauses.context import (
    Chain,
    ChainValue,
    NotAStep,
    pattern,
    said_words,
    to_type,
    whole,
)
from akgen.agents.requests.by_clauses.layers import Layers
from akgen.agents.requests.formula import WIDTHS
from akgen.agents.requests.needs import missing
from akgen.agents.requests.program import Input, function_of
from akgen.agents.requests.request import Held, Request
from akgen.agents.requests.specified.expressions import NotSpecified, expression_in
from akgen.agents.requests.specified.program import open_in
from akgen.agents.requests.specified.tensors import dtype_of
from akgen.agents.requests.trees import call, substituted, transposed, with_axes
from akgen.tools.core.dtypes import DType

Read = Callable[[str, Request], Request | None]
_SIGNS = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "and": ast.BitAnd, "or": ast.BitOr,
    "xor": ast.BitXor, "rshift": ast.RShift, "lshift": ast.LShift, "matmul": ast.MatMult,
}  # fmt: skip
_TURNED = r"\s?(?:\^ ?T|\.T|\.mT|ᵀ|'s transpose| transposed|的?转置)"
_ELEMENTS = re.compile(r"逐元素|同形状|element-?wise|same shape|original|原", re.I)
_NOUNS = {"均值": "mean", "平均值": "mean", "标准差": "std", "方差": "var", "偏置": "bias", "权重": "weight",
          "掩码": "mask", "残差": "residual", "average": "mean", "standard deviation": "std", "variance": "var",
          "温度": "temperature"}  # fmt: skip
_LIMIT = re.compile(r'params\["shape(?P<at>\d*)"\]')
_ROOT = re.compile(rf"(?:sqrt|√)\s?\(?(?P<of>{'|'.join(WIDTHS)})(?![\w])\)?", re.I)
_KINDS = {"amax": "max|最大", "amin": "min|最小", "mean": "mean|average|均|平均", "sum": "sum|total|总|和|之"}
_PAIR = 2
_PATH = re.compile(
    r"\A(?:torch\.(?:nn\.functional\.)?|nn\.functional\.|F\.|nn\.)(?=\w+(?:[^\w(]|\Z))"
)  # of no call


@cache
def _verbs() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for verb, said in said_words()["verbs"]:
        parts = said.split("{of}")
        named = "".join(f"{part}(?P<of{i}>.+?)" for i, part in enumerate(parts[:-1])) + parts[-1]
        found.append((verb, re.compile(named, re.I)))
    return tuple(found)


def bare_verb(clause: str) -> str | None:
    """Return the arithmetic that a clause names without its other side: "per-row multiply"."""
    said = said_words()["bare verbs"]
    return next((verb for verb, words in said.items() if re.fullmatch(words, clause, re.I)), None)


class Clauses(Layers):
    """Acts on a chain, clause after clause."""

    def __init__(self, chain: Chain, read: Read, begins: str | None) -> None:
        super().__init__(chain, begins)
        self._read = read
        self.verb = ""
        self.by_channel = False  # the clause says that its vector is
        self.told = 0  # clauses that say more than an operator

    def copied(self) -> "Clauses":
        other = Clauses(self.chain.copied(), self._read, self.begins)
        other.verb, other.later, other.starts, other.told = self.verb, self.later, self.starts, self.told
        return other

    def finish(self, wanted: DType | None) -> None:
        """Give the result the type that is said of it. Raises NotAStep."""
        value = self.chain.value(self.now())
        if wanted is not None and (value is None or value.dtype is not wanted):
            self.chain.put(to_type(self.now(), wanted))

    def act(self, clause: str) -> None:
        """Add what a clause does. Raises NotAStep."""
        clause = self.bare(clause)
        for way in self._ways():
            trial = self.chain.copied()
            try:
                if way(clause):
                    self.told += way not in (self._alone, self._both_sides, self._of_subject)
                    return
            except NotAStep:
                pass
            self.chain = trial
        raise NotAStep(clause)

    def act_with(self, clause: str, others: Sequence[str]) -> None:
        """Add what a clause does with tensors that it does not name. Raises NotAStep."""
        clause = self.bare(clause)
        if len(others) == 1 and (verb := bare_verb(clause)) is not None:
            self._applied(verb, others[0])
        elif self.mentioned(clause):
            raise NotAStep(clause)
        else:
            self._alone(clause, others)

    def _ways(self) -> tuple[Callable[[str], bool], ...]:
        own = (self._formula, self._alike, self._worded, self._cast)
        layers = (
            self.ordered,
            self.looked_up,
            self.joined,
            self.linear,
            self.conv,
            self.norm,
            self.batch_norm,
        )
        return (
            *own,
            *layers,
            self.flattened,
            self._after_formula,
            self._alone,
            self._of_subject,
            self._both_sides,
        )

    def bare(self, clause: str) -> str:
        lead = pattern("lead, a is a tensor" if "a" in self.chain.given else "lead").match(clause)
        clause = clause[lead.end() :] if lead is not None else clause
        clause = _PATH.sub("", clause)
        for participle, verb in said_words()["participles"].items():
            clause = re.sub(rf"(?<![a-z]){participle}(?![a-z])", verb, clause, flags=re.I)
        while (
            shorter := re.sub(rf"(?:{said_words()['tail']})\Z", "", clause, count=1, flags=re.I)
        ) != clause:
            clause = shorter
        self.by_channel = pattern("per channel").search(clause) is not None
        clause = pattern("per channel").sub(" ", clause).strip()
        clause = re.sub(
            r"\s*[(（]\s*([A-Za-z]\w*)\s*(?:is |also )*(?:转置|transposed)\s*[)）]", r" \1.T", clause
        )
        return self._between(clause.strip())

    def _between(self, clause: str) -> str:
        """Write "multiply a with b" as "a times b"."""
        names = "|".join(map(re.escape, sorted(self.chain.given, key=len, reverse=True)))
        for said, written in said_words()["of two"]:
            pattern_of_two = said.replace("{a}", f"(?P<a>{names})").replace("{b}", f"(?P<b>{names})")
            clause = re.sub(rf"\A{pattern_of_two}(?![\w])", written, clause, flags=re.I)
        return clause

    # what a clause is about

    # ways to read a clause

    def _formula(self, clause: str) -> bool:
        """Read an expression over the tensors: "q @ k^T", "silu(x@wg) * (x@wu)"."""
        apart = (
            self.starts is not None
            and self.chain.current is None
            and self.starts not in self.mentioned(clause)
        )
        tree = None if apart else self._expression(clause)
        if tree is not None and (re.search(r"(?:norm|normalize)\(", ast.unparse(tree)) or open_in(tree)):
            raise NotAStep(clause)  # with weights of its own? along which axis?
        if tree is None or (isinstance(tree, ast.Name) and self.chain.current is not None):
            return False
        if isinstance(tree, ast.Name):
            self.chain.begin_with(self.mentioned(clause)[0])
            return True
        if (
            self.chain.current is not None
            and self.chain.current not in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
            and self.chain.current in self.chain.trees
        ):
            raise NotAStep(clause)  # what came before would be lost
        first = self.mentioned(clause)[0]
        self.chain.put(tree)
        self.chain.first = self.chain.first or first
        return True

    def _expression(self, said: str) -> ast.expr | None:
        """Return an expression over named tensors, marked as used."""
        named = self.mentioned(said)
        if not named:
            return None
        for name in named:
            said = re.sub(whole(name), name, said)
        width = self.chain.given[self.chain.first or named[0]].shape[-1:]
        said = _ROOT.sub(
            lambda m: f"sqrt({width[0]})" if width and m["of"].lower() not in self.chain.given else m[0], said
        )
        try:
            tree = expression_in(said, {*self.chain.given})
        except NotSpecified:
            return None
        return substituted(tree, {n: self.chain.named(n) for n in named})

    def _after_formula(self, clause: str) -> bool:
        """Read an expression and what is done with it: "qk^T 除以 sqrt(d)"."""
        for match in reversed(list(re.finditer(r"\s|(?<=[\w)])(?=[\u4e00-\u9fff])", clause))):
            head, rest = clause[: match.start()].strip(), clause[match.end() :].strip()
            if not head or not rest or self._expression(head) is None:
                continue
            trial = self.copied()
            try:
                if not trial._formula(head):
                    continue
                trial.act(rest)
            except NotAStep:
                continue
            self.chain, self.verb, self.told = trial.chain, trial.verb, trial.told
            return True
        return False

    def _alike(self, clause: str) -> bool:
        """Do the same with several tensors: "a、b 先各自 L2 归一化", "normalise a and b"."""
        if self.chain.current is not None and self.chain.current in self.chain.trees:
            return False
        named = self.mentioned(clause)
        if len(named) < _PAIR:
            return False
        names = "|".join(map(re.escape, named))
        joint = r"\s*(?:,|，|、|and|&|和|与)\s*"
        listed = re.compile(
            rf"(?:rows of |each row of |the )*(?<![\w.])(?:{names})(?:{joint}(?:{names}))+(?![\w.])"
            rf"\s*{said_words()['each']}?",
            re.I,
        )
        found = listed.search(clause)
        if found is None or re.search(
            r"concat|cat|stack|拼|堆叠|matmul|add|加|乘|multiply|dot|product|积|distance|距离|similarity|where",
            clause,
            re.I,
        ):
            return False
        rest = f"{clause[: found.start()]} {clause[found.end() :]}".strip()
        if "row" in found[0]:
            rest += " each row"
        rest = re.sub(rf"{said_words()['each']}\s*", "", rest, flags=re.I)
        for name in named:
            self.chain.current = None
            self.chain.begin_with(name)
            self._alone(rest)
            assert self.chain.current is not None
            self.chain.stands[name] = self.chain.current
        self.chain.current = None
        return True

    def _worded(self, clause: str) -> bool:
        """Read arithmetic: "add r", "除以 sqrt(d)", "multiply by 1/6"."""
        for verb, said in _verbs():
            match = said.fullmatch(clause)
            if match is None:
                continue
            of = next(v for k, v in match.groupdict().items() if k.startswith("of") and v is not None)
            kind = self.verb if verb == "again" else verb
            if not kind or (verb == "again" and kind not in ("add", "mul", "div", "sub")):
                continue
            trial = self.chain.copied()
            try:
                self._applied(kind, of)
            except NotAStep:
                self.chain = trial
                continue
            self.verb = kind
            return True
        return False

    def _applied(self, verb: str, of: str) -> None:
        now = self.now()
        other = self.operand(of)
        if other is None:
            raise NotAStep(of)
        plain = not any(isinstance(n, ast.Name) for n in ast.walk(other))
        one, two = self.chain.value(now), ChainValue((), DType.FLOAT32) if plain else self.chain.value(other)
        if one is None or two is None:
            raise NotAStep(of)
        number = plain or not two.shape
        sides = (now, other) if number else self.chain.beside(now, other)
        if self.by_channel and not number and len(two.shape) == 1 and len(one.shape) > _PAIR:
            sides = (now, self._at_channels(other, one, two))
        if verb == "matmul":
            sides = None
        product = not number and min(len(one.shape), len(two.shape)) > 1 and one.shape[-1] == two.shape[-2]
        vector = not number and len(two.shape) == 1 and len(one.shape) > 1 and one.shape[-1] == two.shape[0]
        if verb == "matmul" and vector:
            product = True
        if verb in ("mul", "matmul") and product:
            if sides is None or verb == "matmul":
                self.chain.put(ast.BinOp(now, ast.MatMult(), other))
                return
            if _ELEMENTS.search(of) is None:
                raise NotAStep(of)  # of matrices, or of elements?
        if sides is None:
            raise NotAStep(of)
        whole = not one.dtype.is_float
        if whole and verb in ("and", "or", "xor", "rshift", "lshift") and not number and two.dtype.is_float:
            raise NotAStep(of)
        if not whole and verb in ("and", "or", "xor", "rshift", "lshift"):
            raise NotAStep(of)
        self.chain.put(ast.BinOp(sides[0], _SIGNS[verb](), sides[1]))

    def _at_channels(self, vector: ast.expr, one: ChainValue, two: ChainValue) -> ast.expr:
        """Return a vector at the axis of the channels, the second or the last one. Raises NotAStep."""
        size, rank = two.shape[0], len(one.shape)
        if size not in (one.shape[1], one.shape[-1]) or one.shape[1] == one.shape[-1]:
            raise NotAStep
        return vector if one.shape[-1] == size else with_axes(vector, (0, *([None] * (rank - 2))))

    def operand(self, said: str) -> ast.expr | None:
        """Return what is added, subtracted or multiplied by; None where it is not understood."""
        said = said.strip()
        if re.fullmatch(said_words()["original"], said, re.I):
            first = self.chain.first
            return None if first is None else ast.Name(first)
        if re.fullmatch(said_words()["current"], said, re.I):
            return self.now()
        noun = _NOUNS.get(said.lower().removeprefix("the "))
        if noun in self.chain.given:
            return self.chain.named(noun)
        nouns = said_words()["nouns"]
        if (number := re.fullmatch(rf"{nouns}(?P<number>{said_words()['number']})", said, re.I)) is not None:
            return ast.parse(number["number"], mode="eval").body
        if (rooted := re.fullmatch(said_words()["root"], said, re.I)) is not None:
            return self._root(rooted["of"])
        names = "|".join(map(re.escape, sorted(self.chain.given, key=len, reverse=True)))
        named = re.fullmatch(rf"{nouns}(?P<name>{names})(?P<turned>{_TURNED})?", said, re.I)
        if named is not None:
            value = self.chain.named(named["name"].lower())
            return transposed(value) if named["turned"] else value
        if (of := pattern("of itself").fullmatch(said)) is not None:
            return self._reduced(said, of)
        return self._expression(said) if re.search(r"[-+*/@(]", said) else None

    def _reduced(self, said: str, of: re.Match[str]) -> ast.expr | None:
        """Return the maximum, the sum or the mean of what came before, along an axis that is said."""
        axis = pattern("at axis").search(of["rest"])
        rest = of["rest"] if axis is None else of["rest"].replace(axis[0], " ")
        rows = re.search(r"(?<![a-z])row(?![a-z])|行", said[: of.start("kind")]) is not None
        if (axis is None) != rows or re.fullmatch(r"[\s()（）]*", rest) is None:
            return None
        dim = -1 if axis is None or axis["last"] else int(axis["dim"] or axis["dim_zh"] or "0")
        kind = next(k for k in _KINDS if re.match(_KINDS[k], of["kind"], re.I))
        tree = call(f"torch.{kind}", self.now())
        assert isinstance(tree, ast.Call)
        tree.keywords = [ast.keyword("dim", ast.Constant(dim)), ast.keyword("keepdim", ast.Constant(True))]
        return tree

    def _root(self, of: str) -> ast.expr | None:
        """Return the root of a number, or of the width of the tensor that the chain began with."""
        if of.isdigit():
            return ast.Constant(int(of) ** 0.5)
        first = self.chain.first
        if of.lower() in self.chain.given or of.lower() not in WIDTHS or first is None:
            return None
        return ast.Constant(self.chain.given[first].shape[-1] ** 0.5)

    def _cast(self, clause: str) -> bool:
        match = pattern("cast").fullmatch(clause)
        dtype = dtype_of(match["type"]) if match is not None else None
        if dtype is None:
            return False
        value = self.chain.value(self.now())
        if value is None or value.dtype is not dtype or self.chain.current not in self.chain.trees:
            self.chain.put(to_type(self.now(), dtype))
        return True

    def _of_subject(self, clause: str) -> bool:
        """Read what is done with the tensor that a clause begins with: "x 先右移 3 位"."""
        if self.chain.current is not None and self.chain.current in self.chain.trees:
            return False
        for name in self.mentioned(clause):
            match = re.match(
                rf"(?:的\s?)?{whole(name)}(?:\s|goes through|is|gets|先|做|经过|进行|的)*", clause, re.I
            )
            if match is not None and clause[match.end() :].strip():
                self.chain.begin_with(name)
                trial = self.copied()
                trial.act(clause[match.end() :])
                self.chain, self.verb, self.told = trial.chain, trial.verb, trial.told
                return True
        return False

    def _alone(self, clause: str, more: Sequence[str] = ()) -> bool:
        """Read an operator as if nothing else were said, with the tensors that the clause names, and more of them."""
        if re.search(r"[*+∑Σ@^|]", clause):
            raise NotAStep(clause)  # a formula that was not read
        named = self.mentioned(clause)
        if self.chain.current is None and named:
            self.chain.begin_with(named[0])
        now = self.now()
        assert self.chain.current is not None
        value = self.chain.value(now)
        if value is None:
            raise NotAStep(clause)
        subject = next((n for n in named if self.chain.stands[n] == self.chain.current), None)
        others = [*(n for n in named if n != subject), *more]
        called = subject if subject is not None and others else "inp" if "x" in others else "x"
        said = re.sub(whole(subject), called, clause) if subject is not None else clause
        tells = [(called, value)]
        tells += [(n, self.chain.values[self.chain.stands[n]]) for n in others]
        types = {v.dtype for _, v in tells}
        each = [f"{n} {list(v.shape)}" + (f" {v.dtype.value}" if len(types) > 1 else "") for n, v in tells]
        told = ", ".join([said, *each, *([value.dtype.value] if len(types) == 1 else [])])
        request = self._read(told, Request())
        if (
            request is None
            or missing(request)
            or len(request.shapes) != 1
            or value.dtype not in request.dtypes
        ):
            raise NotAStep(clause)
        if request.dynamic is not None or request.knobs is not None or len(request.dtypes) != 1:
            raise NotAStep(clause)
        self._inlined(request, [self.chain.current, *others], [n for n, _ in tells], clause)
        return True

    def _inlined(self, request: Request, mine: Sequence[str], told: Sequence[str], clause: str) -> None:
        """Add the lines of what was read. Raises NotAStep where it takes other tensors than those that were told."""
        found = function_of(request)
        if found is None or len(found.inputs) != len(told):
            raise NotAStep(clause)
        names = [i.name for i in found.inputs]
        order = [told.index(n) for n in names] if {*names} == {*told} else list(range(len(told)))
        if {*names} != {*told} and any(re.fullmatch(r"x\d", n) is None for n in names):
            raise NotAStep(clause)
        values: dict[str, ast.expr] = {}
        for given, at in zip(found.inputs, order, strict=True):
            name = mine[at]
            values[given.name] = ast.Name(name) if at == 0 else self.chain.named(name)
            if name not in self.chain.given:
                continue
            if (held := self._held(given, found.domain, [name, *(mine[i] for i in order)])) is not None:
                self.chain.holds[name] = held
        self.chain.helpers |= {text: text for text in found.helpers}
        for line in found.lines:
            head, _, tail = line.partition(" = ") if not line.startswith("return ") else ("", "", line[7:])
            tree = substituted(ast.parse(tail, mode="eval").body, values)
            if isinstance(tree, ast.Tuple):
                raise NotAStep(clause)
            values[head] = ast.Name(self.chain.put(tree))

    def _held(self, given: Input, domain: str | None, order: Sequence[str]) -> Held | None:
        """Return what a tensor of the chain holds, where that is not any number. Raises NotAStep."""
        name = order[0]
        dtype = self.chain.given[name].dtype
        if given.draw == "real":
            narrow = domain is not None and re.search("positive|nonnegative|unit", domain) is not None
            return (
                Held(draw="between", limit="0.05, 0.95", dtype=dtype) if narrow and dtype.is_float else None
            )
        if given.draw == "mask":
            return Held(draw="mask")
        if given.draw == "entries" and not dtype.is_float:
            limit = _LIMIT.sub(lambda m: self._of_the_chain(m, order[1:]), given.limit)
            return Held(draw="entries", limit=limit, dtype=DType.INT32 if dtype is DType.INT32 else None)
        raise NotAStep(name)

    def _of_the_chain(self, match: re.Match[str], mine: Sequence[str]) -> str:
        """Write a size of a tensor of one clause as that of the chain's tensor. Raises NotAStep."""
        name = mine[int(match["at"] or 0)]
        if name not in self.chain.given:
            raise NotAStep(name)
        at = [*self.chain.given].index(name)
        return f'params["shape{at or ""}"]'

    def _both_sides(self, clause: str) -> bool:
        """Take a clause apart at what may join two steps, or what only joins words."""
        for match in pattern("soft").finditer(clause):
            left, right = clause[: match.start()].strip(), clause[match.end() :].strip()
            if (
                not left
                or not right
                or sum(left.count(c) for c in "([（") != sum(left.count(c) for c in ")]）")
            ):
                continue
            trial = self.copied()
            try:
                trial.act(left)
                trial.act(right)
            except NotAStep:
                continue
            if trial.told == self.told:
                raise NotAStep(clause)  # "relu and tanh": one after the other, or two results?
            self.chain, self.verb, self.told = trial.chain, trial.verb, trial.told
            return True
        return False
