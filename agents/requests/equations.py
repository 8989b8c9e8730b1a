"""Read a request that is told by equations: "q = clamp(round(x/s), -128, 127), s = max|x|/127 per row, return q and s".

What the names stand for is taken from shapes ("x: [128, 64]"), numbers ("lr = 1e-4") and other equations, which are put
in where their names are used. A name that is changed ("p -= lr * g") stands for its new value from there on. What the
words beside the equations say must be known to say nothing, or be the equations' own operators and names.
"""

import ast
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from akgen.agents.requests.declared import TENSOR, declared_tensors, halves_of, shapes_of
from akgen.agents.requests.fits import aligned, shape_of
from akgen.agents.requests.formula import VARIABLE, WIDTHS, with_paths
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.notation import Notation, NotRead
from akgen.agents.requests.pieces import Equation, joined_pieces
from akgen.agents.requests.request import Shape
from akgen.agents.requests.signs import NORMS, MathToken, has_norm, spelt, tokens, with_affine
from akgen.agents.requests.trees import call, names_of, substituted
from akgen.tools.core.dtypes import DType

_NAME = r"[a-z][a-z0-9_]*"
_BIND = re.compile(
    r"(?<![a-z0-9_.])(?P<name>[a-z][a-z0-9_]*(?: [a-z]+)?) ?(?:=|is|of|取|为|是|:)? ?"
    r"(?P<value>-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?)"
    r"(?![a-z0-9_]|\.\d| ?[x*/+^@] ?[\da-z(]| by \d| ?-? ?\(|,? ?\d+[\])])"
)
_LONG = {
    "b1": "beta1",
    "b2": "beta2",
    "wd": "weight decay",
    "lr": "learning rate",
    "lam": "lambda",
    "gamma": "gamma",
    "eps": "epsilon",
}
_TYPE = r"(?:u?int8|floats?|fp32|fp16|float32)"
_RESULT = rf"{TENSOR}(?: as {_TYPE}| ?\({_TYPE}(?:,[^()]*)?\))?"
_EPS = re.compile(
    r"(?<![a-z0-9_])(?:with |and )?eps(?:ilon)? ?(?:=|is|of|取|为|是|:)? ?(\d+(?:\.\d+)?(?:e-?\d+)?)(?![a-z0-9_.])"
)
_REDUCED = {"mean": "mean", "average": "mean", "sum": "sum", "均值": "mean", "平均": "mean", "求和": "sum"}
_REDUCES = re.compile(r"(?<![a-z])(?:the )?(mean|average|sum)(?: is)? of (?:all )?\Z")
_RETURNED = re.compile(
    r"(?:(?<![a-z])(?:return(?:s|ing)?|outputs?|give(?: me)?(?: back)?|want)(?![a-z])|返回|输出)"
    rf"(?:(?: both| the| new| updated| all| only|新的?|更新后的?|裁剪后的?|依次|分别|依序|[是为])| ?[:：])* ?"
    rf"(?P<names>{_RESULT}(?:\s*(?:,|/|&|、|and|和|与)\s*(?:the )?(?:(?:new|updated) |新的)?{_RESULT})*)"
)


class Told(NamedTuple):
    """What a text tells by equations."""

    text: MarkedText  # with what was read marked
    formula: str  # of one result, or of several in parentheses; reductions without their axis
    variables: tuple[str, ...]
    shapes: tuple[Shape, ...]  # of the variables, or one for all; none where nobody said it
    names: tuple[str, ...]  # of the results
    types: Mapping[str, DType] = MappingProxyType({})  # of variables that are no floating-point numbers
    floats: DType | None = None  # of the other variables, where it is said beside them
    ends: tuple[tuple[str, int], ...] = ()  # of the equations: where each name's ends


def read_equations(said: str) -> Told | None:
    """Return what a text tells by equations; None if it tells nothing so, or not all of it can be read."""
    text = MarkedText(spelt(said))
    halves = halves_of(text)
    declared, types, floats = declared_tensors(text)
    found = _equations(text, declared, halves)
    if not found or not any(_computes(e.tree) for e in found):
        return None
    told = _joined(text, found, declared, halves)
    ends = tuple((e.name, e.end) for e in found if e.name is not None)
    if told is None:
        return None
    types = {name: dtype for name, dtype in types.items() if name in told.variables}
    return told._replace(types=types, floats=floats, ends=ends)


def _equations(text: MarkedText, declared: dict[str, Shape], halves: dict[str, ast.expr]) -> list[Equation]:
    """Return the equations and expressions of the text in order; they are marked."""
    blank = "".join(" " if c == "\0" else c for c in text.rest)
    listed = tokens(blank)
    left = {m[1] for m in re.finditer(rf"(?<![a-z0-9_.])({_NAME}) ?(?:\([a-z, ]+\) ?)?[-+*/]?=(?!=)", blank)}
    bits = "&" in blank or "<<" in blank or ">>" in blank

    def known(name: str) -> bool:
        return name in declared or name in left or name in halves or bool(VARIABLE.match(name))

    def sure(name: str) -> bool:
        return name in declared or name in left or name in halves

    shapes: dict[str, Shape] = {**(dict.fromkeys(WIDTHS, ()) if declared else {}), **declared}
    found: list[Equation] = []
    functions: dict[str, tuple[str, ast.expr]] = {}
    at = 0
    while at < len(listed):
        notation = Notation(listed, known, shapes, sure=sure, functions=functions, bits=bits)
        begin, name, argument, change = _left_side(listed, at)
        try:
            parsed = notation.expression(begin)
        except NotRead:
            at += 1
            continue
        end = listed[parsed.end - 1].end
        behind = text.text[end : end + 1]
        computes = _computes(parsed.tree)
        if (not computes and name is None) or re.match(r" ?[*/^@=]", text.text[end:]) or behind.isalnum():
            at += 1
            continue
        alone = parsed.end == begin + 1  # a word, which may be a product of letters
        if isinstance(parsed.tree, ast.Constant) or (name is None and (alone or _is_word(parsed.tree))):
            at += 1
            continue
        tree, start = parsed.tree, listed[at].begin
        reduced = _REDUCES.search(text.text[:start]) if name is None else None
        if reduced is not None:
            tree, start = call(f"torch.{_REDUCED[reduced[1]]}", tree), reduced.start()
        if re.search(r"[-+*/@^=] ?\Z|[a-z0-9_)\]]\[[^\[\]]*\Z", text.text[: listed[at].begin]):
            return []  # a part of what is not understood
        if name is None and found and not text.text[found[-1].end : start].strip(" ") and start:
            return []  # "sign(x) sqrt(x)" may be a product
        if argument is not None and name is not None:
            functions[name] = (argument, tree)
        else:
            value = ast.BinOp(ast.Name(name), change(), tree) if name and change else tree
            if name is not None and isinstance(shape := shape_of(tree, dict(shapes)), tuple):
                shapes.setdefault(name, shape)
            found.append(Equation(name, ast.fix_missing_locations(value), start, end))
        text.mark(start, end, "operator")
        at = parsed.end
    for name, (argument, tree) in functions.items():
        if (argument in declared or (not declared and VARIABLE.match(argument))) and len(
            re.findall(rf"(?<![a-z0-9_]){name} ?\(", blank)
        ) == 1:
            found.append(Equation(name, ast.fix_missing_locations(tree), 0, len(text.text)))  # "FFN(x) = ..."
    return found


def _left_side(
    listed: list[MathToken], at: int
) -> tuple[int, str | None, str | None, type[ast.operator] | None]:
    """Return behind which token an equation's value begins, its name, its argument and what changes the name."""
    texts = [t.text for t in listed[at : at + 6]]
    changes: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}
    if listed[at].kind != "name":
        return at, None, None, None
    if texts[1:2] == ["="]:
        return at + 2, texts[0], None, None
    if (
        len(texts) > 2
        and texts[1] in changes
        and texts[2] == "="
        and listed[at + 1].end == listed[at + 2].begin
    ):
        return at + 3, texts[0], None, changes[texts[1]]
    if len(texts) > 4 and texts[1] == "(" and texts[3:5] == [")", "="]:
        return at + 5, texts[0], texts[2], None
    return at, None, None, None


def _is_word(tree: ast.expr) -> bool:
    """Say whether signs may only join words: "key-value", "and/or"."""
    names = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
    joins = isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Sub | ast.Div)
    return joins and all(len(n) > 2 for n in names)


def _computes(tree: ast.expr) -> bool:
    return isinstance(tree, ast.BinOp | ast.Call | ast.Compare | ast.UnaryOp) and any(
        isinstance(n, ast.Name) for n in ast.walk(tree)
    )


def _joined(
    text: MarkedText, found: list[Equation], declared: dict[str, Shape], halves: dict[str, ast.expr]
) -> Told | None:
    """Put the equations into one another, bind numbers, and return what is left as results."""
    pieced = joined_pieces(text, found)
    if pieced is None:
        return None
    found = _definitions_first(pieced, declared)
    values: dict[str, ast.expr] = {}
    results: dict[str, ast.expr] = {}
    used: set[str] = set()
    for number, equation in enumerate(found):
        mentioned = set(names_of(equation.tree))
        used |= mentioned & results.keys() - {equation.name or ""}
        tree = substituted(equation.tree, values)
        name = equation.name or f"_{number}"
        results.pop(name, None)
        results[name] = tree
        values[name] = tree
    try:
        returned = _returned(text, results)
    except LookupError:
        return None
    chosen = returned or [n for n in results if n not in used] or list(results)[-1:]
    tensors = list(dict.fromkeys(n for c in chosen for n in names_of(results[c])))
    bound = _bound(text, [n for n in tensors if n not in declared])
    results = {name: with_eps(text, tree) for name, tree in results.items()}
    bound |= {n: t for n, t in halves.items() if n in tensors}
    roots = {n for n in tensors if n in WIDTHS and n not in declared | bound.keys()}
    try:
        trees = [with_paths(_rooted(substituted(results[c], bound), roots, declared)) for c in chosen]
    except (LookupError, SyntaxError):
        return None
    trees = [with_affine(t, declared) for t in trees]
    variables = tuple(dict.fromkeys(n for t in trees for n in names_of(t)))
    if not variables:
        return None
    shapes = shapes_of(text, variables, declared, norms=any(has_norm(t) for t in trees))
    if shapes is None:
        return None
    if len(shapes) == len(variables) > 1:
        placed = aligned(dict(zip(variables, shapes, strict=True)), trees)
        if placed is None:
            return None
        trees = [substituted(t, placed, indexed=False) for t in trees]
    order = [n for n in declared if n in variables]
    if len(order) == len(variables):
        shapes = tuple(shapes[variables.index(n)] for n in order) if len(shapes) == len(variables) else shapes
        variables = tuple(order)
    body = ", ".join(ast.unparse(ast.fix_missing_locations(t)) for t in trees)
    return Told(text, f"({body})" if len(trees) > 1 else body, variables, shapes, tuple(chosen))


def _definitions_first(found: list[Equation], declared: dict[str, Shape]) -> list[Equation]:
    """Put equations that say what a name of an earlier one stands for in front of it: "q = x / s, s = max|x|".

    A tensor that is declared, or that its own equation changes, has its old value there.
    """
    ordered = list(found)
    for _ in found:
        for at, equation in enumerate(ordered):
            given = {e.name for e in ordered[:at]} | {equation.name} | declared.keys()
            later = next(
                (
                    k
                    for k, e in enumerate(ordered[at + 1 :], at + 1)
                    if e.name in names_of(equation.tree)
                    and e.name not in given
                    and e.name not in names_of(e.tree)
                ),
                None,
            )
            if later is not None and equation.name not in names_of(ordered[later].tree):
                ordered.insert(at, ordered.pop(later))
                break
        else:
            break
    return ordered


def with_eps(text: MarkedText, tree: ast.expr) -> ast.expr:
    """Give the norms of an expression the eps that the text says: "RMSNorm(x) * w, eps 1e-6"."""
    norms = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) in NORMS.values()]
    said = _EPS.search(text.rest) if norms and "eps" not in names_of(tree) else None
    for node in norms if said is not None else ():
        if said is not None and "eps" not in {k.arg for k in node.keywords}:
            node.keywords.append(ast.keyword("eps", ast.Constant(float(said[1]))))
    if said is not None:
        text.mark(*said.span(), "label")
    return tree


def _rooted(tree: ast.expr, roots: set[str], declared: dict[str, Shape]) -> ast.expr:
    """Put in the width of a head for "√d"."""
    widths = {shape[-1] for shape in declared.values()}
    if not roots or not widths:
        return tree
    width = next(iter(declared.values()))[-1]
    put = substituted(tree, {name: ast.Constant(width) for name in roots})
    return ast.parse(
        re.sub(r"(?:torch\.)?sqrt\((\d+)\)", lambda m: repr(int(m[1]) ** 0.5), ast.unparse(put)), mode="eval"
    ).body


def _returned(text: MarkedText, results: dict[str, ast.expr]) -> list[str]:
    """Return the names that the text says it wants, "return q and s", as far as they are results."""
    for match in _RETURNED.finditer(text.text):
        names = re.findall(
            _NAME,
            re.sub(
                r" as \w+|\(\w+(?:,[^()]*)?\)|(?<![a-z])(?:and|the|new|updated)(?![a-z])", " ", match["names"]
            ),
        )
        wanted = [next((w for w in (n, f"{n}_new", n.removesuffix("s")) if w in results), n) for n in names]
        kept = [n for n in wanted if n in results]
        clause = re.split(r"[.;。；\n]", text.text[match.start() :], maxsplit=1)[0]
        more = {*re.findall(_NAME, clause)} & {n for n in results if not n.startswith("_")} - {*kept}
        if kept and (kept != wanted or more):
            raise LookupError(wanted)  # something else is wanted as well
        if kept:
            begin = match.start()
            for typed in re.finditer(r"(?:(?<= as )|(?<=\())\w+", text.text[: match.end()]):
                if typed.start() > match.start():  # the type is read by who reads types
                    text.mark(begin, typed.start(), "returned")
                    begin = typed.end()
            text.mark(begin, match.end(), "returned")
            return list(dict.fromkeys(kept))
    return []


def _bound(text: MarkedText, names: list[str]) -> dict[str, ast.expr]:
    """Return the numbers that the text gives for names: "lr = 1e-4", "weight decay 0.01" for wd."""
    found: dict[str, ast.expr] = {}
    spelt = {_LONG.get(n, n): n for n in names} | {n: n for n in names}
    for match in _BIND.finditer(text.rest):
        said = match["name"]
        name = spelt.get(said) or spelt.get(said.split()[-1])
        if name is not None and name not in found:
            text.mark(*match.span(), "label")
            value = match["value"]
            found[name] = ast.parse(value, mode="eval").body
    return found
