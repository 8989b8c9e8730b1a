"""Read formulas in a text, such as "x + y * 2" or "relu(x) * sigmoid(y)", with PyTorch's names for the functions."""

import ast
import re
from collections.abc import Collection
from keyword import iskeyword

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.formula_axes import NAMES, reduces, with_reductions
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import ChainStep
from akgen.agents.requests.sizes import take_dtypes
from akgen.knowledge.operators import find_operators, operator_named

_TOKEN = re.compile(
    r"[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*|\d+(?:\.\d*)?(?:e-?\d+)?|\.\d+|\*\*|!=|[-+*/@%^(),=<>]"
)
_INDEXED = re.compile(r"[a-z0-9_)\]]")
VARIABLE = re.compile(
    r"(?:[a-z]|[abxyzqkvw]\d|mask|cond|condition|bias|weight|scale|residual|input|other|gamma|beta|gate|up|query|key|value|"
    r"hidden|grad|lr|mean|var|pred|target|labels?|logits|scores|left|right|lhs|rhs|alpha|eps|epsilon|lam|tau|momentum|wd|"
    r"shift|mu|sigma|d[a-z]|g\d|p\d|logvar|avg|theta|rho|phi|delta|sigma2|log_var)\Z"
)
_LABEL = re.compile(
    r"(?:^|[,，.;])\s*((?:[a-z][a-z0-9\-]*|[\u4e00-\u9fff]+)(?: (?:[a-z][a-z0-9\-]*|[\u4e00-\u9fff]+)){0,3}) ?[:：] *\Z"
)
_SHAPES = re.compile(r"\d+(?: ?x ?\d+)+|[\[(]\d+(?:, ?\d+)*,?[\])]")
_DENIES = re.compile(
    r"(?<![a-z])(?:not?|never|without|don't|backward|gradient|inverse|except)(?![a-z])|不|别|非|无|反向|梯度"
)
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_MASKS = ("mask", "cond", "condition")
_VECTORS = ("bias", "gamma", "beta")  # as long as the last axis
_SCALARS = ("lr", "alpha", "eps", "epsilon", "lam", "tau", "momentum", "wd")  # numbers, which must be said
_TRUTHS = ("true", "false")
_DECLARED = re.compile(
    r"(?<![a-z0-9_])([a-z]\w*(?: ?(?:,|/|&|、|and|和) ?[a-z]\w*)*)(?: (?:is|are|both|all|each|of|has|have))*"
    r"(?: ?[:=])? ?(?:[\[(] ?\d+ ?(?:,|\))|\d+ ?x ?\d)"
)
_NO_NAMES = frozenset(
    ("and", "is", "are", "of", "with", "both", "all", "each", "shape", "size", "in", "on", "for", "where")
)
_GIVEN = re.compile(r"(?<![a-z0-9_])([a-z]\w*) ?(?:=|is|为|取|是) ?-?(?:\d|\.\d)(?![\d.]* ?[x*] ?\d)")
_TURNED = re.compile(r"\^ ?t(?![a-z0-9_(])")
_SUBSCRIPT = re.compile(r"[a-z0-9_)\]]\[([^\[\]]*)\]")
WIDTHS = ("d", "dk", "d_k", "dh", "hd", "head_dim")  # of a head, under a root
_LONGEST = 2  # letters of a variable that a sign may stand before
_MOST_TOKENS = 80
_BETWEEN = frozenset(("**", "!=", "+", "-", "*", "/", "@", "%", "^", ",", "=", "<", ">"))


def take_formulas(text: MarkedText) -> None:
    """Mark every formula with its step."""
    given = frozenset(m[1] for m in _GIVEN.finditer(text.rest))
    declared = _declared(text.rest)
    for run in _runs(text.rest, declared):
        at = 0
        while at < len(run):
            step = 1
            for end in _possible_ends(run, at):
                begin_at, end_at = run[at].start(), run[end - 1].end()
                if _in_brackets(text.text, begin_at):
                    continue  # an index: "x[n - 1 - i]"
                if text.rest[begin_at - 1 : begin_at].isalnum() or text.rest[end_at : end_at + 1].isalnum():
                    continue
                before, behind = text.text[max(0, begin_at - 2) : begin_at], text.text[end_at : end_at + 2]
                if re.match(r" ?[*/^@]", behind) or re.search(r"[*/^@] ?\Z", before):
                    continue  # a part of a formula that is not understood
                found = read_formula(text.rest[begin_at:end_at], given, declared)
                around = f"{text.text[:begin_at]};{text.text[end_at:]}"
                if found is not None and indices_among(found.variables, around) - declared:
                    continue  # no tensors: "out[i] = sum of x[j] for j > i"
                if found is not None and not _of_a_width(found, declared):
                    _take_label(text, begin_at)
                    found = _with_numbers(text, found, (begin_at, end_at))
                    text.mark(begin_at, end_at, "operator", found)
                    step = end - at
                    break
            at += step


def _in_brackets(text: str, at: int) -> bool:
    """Say whether a place is inside the brackets of an index."""
    opened = text.rfind("[", 0, at)
    return opened > max(0, text.rfind("]", 0, at)) and _INDEXED.match(text[opened - 1]) is not None


def indices_among(variables: Collection[str], text: str) -> set[str]:
    """Return the variables that number elements in the text, as i and j in "x[:, j]"."""
    inside = {name for found in _SUBSCRIPT.findall(text) for name in re.findall(r"[a-z]\w*", found)}
    return {*variables} & inside


def _of_a_width(step: ChainStep, declared: frozenset[str]) -> bool:
    """Say whether a formula has the root of a width that no tensor is: "q @ k^T / sqrt(d)"."""
    rooted = re.findall(r"torch\.sqrt\((\w+)\)|(?<![\w.])(\w+) \*\* 0\.5", step.formula or "")
    return any(name in WIDTHS and name not in declared for pair in rooted for name in pair if name)


def join_formulas(text: MarkedText) -> None:
    """Write "x ** 2 plus relu(y)" as one formula: arithmetic in words between two formulas."""
    ordered = [m for m in text.sorted() if m.kind == "operator"]
    for left, sign, right in zip(ordered, ordered[1:], ordered[2:], strict=False):
        sides = [m.value.formula for m in (left, right) if isinstance(m.value, ChainStep)]
        gaps = text.text[left.end : sign.begin] + text.text[sign.end : right.begin]
        if (
            not isinstance(sign.value, str)
            or sign.value not in _ARITHMETIC
            or len(sides) != 2
            or None in sides
            or gaps.strip() not in ("", "by")
        ):
            continue
        if any(m not in text.marks for m in (left, sign, right)):
            continue
        formula = ast.unparse(ast.parse(f"({sides[0]}) {_ARITHMETIC[sign.value]} ({sides[1]})", mode="eval"))
        variables = tuple(dict.fromkeys((*left.value.variables, *right.value.variables)))
        for mark in (left, sign, right):
            text.unmark(mark)
        joined = ChainStep(operator="formula", formula=formula, variables=variables)
        text.mark(left.begin, right.end, "operator", joined)


def _take_label(text: MarkedText, begin: int) -> None:
    """Mark the name before a formula, as in "SGD update: w - lr * g", where it is no known word."""
    label = _LABEL.search(text.rest[:begin])
    if label is None or _DENIES.search(label[0]) or find_operators(label[1]):
        return
    typed = MarkedText(label[1])
    take_dtypes(typed)
    if not typed.marks:  # "uint8 to fp16: x / 255" says what the formula does not
        text.mark(label.start(1), label.end(1), "label")


def read_formula(
    text: str, given: frozenset[str] = frozenset(), declared: frozenset[str] = frozenset()
) -> ChainStep | None:
    """Return the step of a text that is a formula, or None.

    `given` are names whose values are said beside it, `declared` those whose shapes are.
    """
    if "t" not in given | declared and _TURNED.search(text):
        return None  # "x^T x" is no power
    body = re.sub(r"^[a-z]\w* *=(?!=) *", "", text.strip()).replace("^", "**")
    body = re.sub(r"(?<=[=(, ])(?:true|false)(?![a-z0-9_(])", lambda m: m[0].capitalize(), body)
    try:
        tree = ast.parse(body, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if "e" not in given | declared:
        tree = ast.fix_missing_locations(_Euler().visit(tree))
    if not isinstance(tree, ast.BinOp | ast.UnaryOp | ast.Call | ast.Compare):
        return None
    if any(isinstance(n, ast.Starred) for n in ast.walk(tree)):
        return None  # "sum(* x)" lacks a factor
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.UAdd):
        return None  # "+ bias" joins
    if (
        isinstance(tree, ast.UnaryOp)
        and isinstance(tree.operand, ast.Name)
        and len(tree.operand.id) > _LONGEST
    ):
        return None  # "-bias" is a hyphen
    functions = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in functions}
    names_bare = NAMES - given - set(re.findall(r"([a-z]\w*) ?=(?!=)", text))
    bare = names & names_bare if len(names - names_bare) == 1 and names & names_bare else set()
    if not names or not all(VARIABLE.match(name) or name in declared | given for name in names - bare):
        return None
    if all(len(name) > _LONGEST for name in names) and not _computes(tree):
        return None  # "query-key" is a compound
    try:
        called = _WithPaths().visit(tree)
    except LookupError:
        return None
    variables = _in_order(tree, names - bare)
    reduced = with_reductions(called, names - bare) if bare else called
    return ChainStep(operator="formula", formula=ast.unparse(reduced or called), variables=variables)


def _in_order(tree: ast.expr, names: set[str]) -> tuple[str, ...]:
    """Return the variables as they are written, single letters by the alphabet as people list their shapes."""
    if all(len(name) == 1 for name in names) and not any(isinstance(n, ast.MatMult) for n in ast.walk(tree)):
        return tuple(sorted(names))
    written = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in names]
    return tuple(dict.fromkeys(n.id for n in sorted(written, key=lambda n: n.col_offset)))


def _computes(tree: ast.expr) -> bool:
    """Say whether there is more in it than signs that join words too."""
    joining = (ast.Sub, ast.Div)
    return any(
        isinstance(n, ast.Call) or (isinstance(n, ast.BinOp) and not isinstance(n.op, joining))
        for n in ast.walk(tree)
    )


def _with_numbers(text: MarkedText, step: ChainStep, place: tuple[int, int]) -> ChainStep:
    """Put in the numbers that are said of a formula's names, as in "w - lr * g with lr 0.01"."""
    assert step.formula is not None
    formula, variables = step.formula, list(step.variables)
    for name in step.variables:
        said = re.compile(
            rf"(?:with |where |for |and |, ?)*(?<![a-z0-9_]){name} ?"
            rf"(?:=|is|of|为|取|是)? ?(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?![\dx.]| ?[x*] ?\d| by \d)"
        )
        match = next(
            (
                m
                for m in text.matches(said)
                if (m.end() <= place[0] or m.start() >= place[1]) and not _is_length(text, name, m)
            ),
            None,
        )
        if match is None or len(variables) == 1 or name in ("x", "y"):
            continue
        text.mark(match.start(), match.end(), "label")
        formula = ast.unparse(
            _Renamed(name, ast.parse(match[1], mode="eval").body).visit(ast.parse(formula, mode="eval"))
        )
        variables.remove(name)
    return step.model_copy(update={"formula": formula, "variables": tuple(variables)})


def _is_length(text: MarkedText, name: str, match: re.Match[str]) -> bool:
    """Say whether a number right behind a name is the length of a vector: "relu(x + b), x 8x16, b 16"."""
    shapes = " ".join(m[0] for m in _SHAPES.finditer(text.text))
    beside = re.search(rf"(?<![a-z0-9_]){name} {match[1]}\Z", match[0])
    return beside is not None and match[1] in re.findall(r"\d+", shapes)


def bound(text: MarkedText, step: ChainStep) -> ChainStep:
    """Put in the numbers that a follow-up gives for a formula's names: "s=0.9, b=-0.5"."""
    return _with_numbers(text, step, (0, 0)) if step.formula is not None else step


def with_paths(tree: ast.expr) -> ast.expr:
    """Return an expression with PyTorch's paths for its functions. Raises LookupError for what it does not know."""
    return ast.fix_missing_locations(_WithoutPaths().visit(tree))  # type: ignore[no-any-return]


def renamed(formula: str, name: str, text: str) -> str:
    """Write something else where a formula has a name."""
    return ast.unparse(
        _Renamed(name, ast.parse(text, mode="eval").body).visit(ast.parse(formula, mode="eval"))
    )


class _Euler(ast.NodeTransformer):
    """Writes powers of Euler's number, "e^(-x)", as what they are."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow) or not isinstance(node.left, ast.Name) or node.left.id != "e":
            return node
        return ast.copy_location(ast.Call(ast.Name("exp"), [node.right], []), node)


class _Renamed(ast.NodeTransformer):
    """Writes an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node.id == self._name else node


def operations_of(formula: str) -> set[str]:
    """Return the operators that a formula applies, by the catalogue's names."""
    signs = {
        ast.Add: "add",
        ast.Sub: "sub",
        ast.Mult: "mul",
        ast.Div: "div",
        ast.Pow: "pow",
        ast.MatMult: "matmul",
        ast.FloorDiv: "floor_divide",
        ast.Mod: "remainder",
    }
    tree = ast.parse(formula, mode="eval")
    found = {signs[type(n.op)] for n in ast.walk(tree) if isinstance(n, ast.BinOp) and type(n.op) in signs}
    called = {ast.unparse(n.func).rpartition(".")[2] for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return found | called


def is_vector(variable: str) -> bool:
    return variable in _VECTORS


def is_scalar(variable: str) -> bool:
    return variable in _SCALARS


def is_mask(variable: str, formula: str) -> bool:
    """Say whether a formula's tensor is true or false, by its name; what is added to numbers holds numbers."""
    return variable in _MASKS and not any(
        isinstance(n, ast.BinOp)
        and isinstance(n.op, ast.Add | ast.Sub)
        and any(isinstance(side, ast.Name) and side.id == variable for side in (n.left, n.right))
        for n in ast.walk(ast.parse(formula))
    )


class _WithPaths(ast.NodeTransformer):
    """Writes PyTorch's paths for the functions' names. Raises LookupError for what it does not know."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        self.generic_visit(node)
        if name in ("max", "min") and len(node.args) == 2:
            limit = next((a for a in node.args if isinstance(a, ast.Constant)), None)
            if limit is None:
                return _call(f"torch.{name}imum", node.args, [])
            tensor = next(a for a in node.args if a is not limit)
            bound = ast.keyword("min" if name == "max" else "max", limit)
            return _call("torch.clamp", [tensor], [bound])
        entry = operator_named(name)
        if entry is None:
            raise LookupError(name)
        if entry.expression is not None and not entry.weights and len(node.args) == entry.inputs:
            texts = [f"({ast.unparse(a)})" for a in node.args]
            return ast.parse(entry.expression.format(*texts, **entry.attributes), mode="eval").body
        ways = entry.signatures()
        if not ways or ways[0].is_module:
            raise LookupError(name)
        given = {k.arg for k in node.keywords}
        settable = parameters_of(entry)
        if unknown := given - {p.name for w in ways for p in w.parameters}:
            raise LookupError(str(unknown))
        keywords = list(node.keywords)
        positional = len(node.args) > 1 and not any(isinstance(a, ast.Name) for a in node.args[1:])
        for attribute, value in entry.attributes.items():
            if attribute == "dim" and reduces(ways[0].path):
                continue  # its axis is said beside the formula, or asked for
            if attribute in settable and attribute not in given and not positional:
                keywords.append(ast.keyword(attribute, ast.parse(repr(value), mode="eval").body))
        return _call(ways[0].path, node.args, keywords)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return _call("torch.where", [node.test, node.body, node.orelse], [])

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr in ("t", "mt") and isinstance(node.value, ast.Name):
            return _call("torch.transpose", [node.value, ast.Constant(-1), ast.Constant(-2)], [])
        raise LookupError(ast.unparse(node))


class _WithoutPaths(_WithPaths):
    """Leaves functions that have PyTorch's path already."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not ast.unparse(node.func).startswith("torch."):
            return super().visit_Call(node)
        node.args = [self.visit(a) for a in node.args]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return node


def _call(path: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
    return ast.Call(ast.parse(path, mode="eval").body, arguments, keywords)


def _possible_ends(run: list[re.Match[str]], at: int) -> list[int]:
    """Return behind which tokens a formula can end that begins at one, longest first; what is left out never parses.

    Its parentheses balance, no sign between two operands begins or ends it, and no operand follows another.
    """
    if run[at][0] in _BETWEEN - {"+", "-"}:
        return []
    ends, depth = [], 0
    for k in range(at, min(len(run), at + _MOST_TOKENS)):
        depth += (run[k][0] == "(") - (run[k][0] == ")")
        if depth < 0 or (k > at and _next_to_each_other(run[k - 1], run[k])):
            break
        if depth == 0 and k > at and run[k][0] not in _BETWEEN:
            ends.append(k + 1)
    return ends[::-1]


def _next_to_each_other(one: re.Match[str], other: re.Match[str]) -> bool:
    """Say whether two operands follow each other, as in "x y"; without a space they may be one number, as 0x1f."""
    operands = all(t[0] not in _BETWEEN | {"(", ")"} and not iskeyword(t[0]) for t in (one, other))
    return operands and one.end() < other.start()


def _declared(text: str) -> frozenset[str]:
    """Return the names that stand before shapes, "scale/shift are [4, 1, 1152]", and are no operators."""
    names = {n for m in _DECLARED.finditer(text) for n in re.findall(r"[a-z][a-z0-9_]*", m[1])}
    return frozenset(n for n in names if operator_named(n) is None and n not in _NO_NAMES)


def _runs(text: str, declared: frozenset[str] = frozenset()) -> list[list[re.Match[str]]]:
    """Return runs of tokens that a formula may consist of; words that are neither variable nor function end a run."""
    runs: list[list[re.Match[str]]] = [[]]
    end = 0
    for token in _TOKEN.finditer(text):
        between = text[end : token.start()]
        word = token[0][0].isalpha() or token[0][0] == "_"
        fits = (
            not word
            or token[0] in _TRUTHS
            or VARIABLE.match(token[0].removesuffix(".t"))
            or token[0] in declared
            or token[0] in NAMES
            or text[token.end() : token.end() + 1] in ("(", "=")
            or re.match(r" ?=(?![=\d ]* ?\d+(?:\.\d+)? ?(?:[,，;]|\Z))", text[token.end() :])
        )
        if between.strip(" ") or not fits:
            runs.append([])
        if fits:
            runs[-1].append(token)
        end = token.end()
    return [run for run in runs if len(run) > 1]
