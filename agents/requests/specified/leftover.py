"""Take the words of a specification that say nothing more: titles, labels, how it compares; find what is left.

Words in front of statements, "LoRA linear:", "3) dynamic quant per row:", name what is computed: they are judged here.
"""

import ast
import re
from collections.abc import Sequence
from functools import cache

from akgen.agents.requests.definitions import relation
from akgen.agents.requests.formula import operations_of
from akgen.agents.requests.guesses import misspelt_filler
from akgen.agents.requests.marks import words
from akgen.agents.requests.parts import parts_of
from akgen.agents.requests.purposes import take_likenesses
from akgen.agents.requests.specified.layout import SpecifiedText, said_words
from akgen.agents.requests.specified.program import GivenTensor, MadeFunction
from akgen.agents.requests.specified.results import Wanted
from akgen.agents.requests.specified.statements import ToldStatement
from akgen.agents.requests.trees import substituted
from akgen.knowledge.operators import find_operators, operator_named

_MOST_TITLE = 120
_LABEL = re.compile(r"(?:(?<=[\n;；。.,，])|\A)\s*(?P<label>[^\n;；。:：=]{2,60})[:：]\s*\Z")


def nothing_left(
    layout: SpecifiedText,
    first: int,
    statements: Sequence[ToldStatement],
    wanted: Sequence[Wanted],
    made: MadeFunction,
    given: Sequence[GivenTensor],
) -> bool:
    """Mark titles and words that say nothing; say whether no other word is left."""
    code = made.source.partition(":\n")[2]
    code = "\n".join(line.strip() for line in code.splitlines())
    formula = _as_one(statements, wanted)
    variables = tuple(t.name for t in given)
    begins = [s.begin for s in statements if s.begin >= 0]
    labels = [m for b in begins if (m := _LABEL.search(layout.text, 0, b)) is not None]
    for begin, end in [(0, first), *(m.span("label") for m in labels)]:
        title = layout.marked.rest[begin:end].replace("\x00", " ")
        if title.strip() and end - begin <= _MOST_TITLE and says_no_more(title, code, formula, variables):
            layout.take(begin, end, "label")
    marked = layout.marked
    said = said_words()
    latin = [*words()["filler"], *said["filler"]]
    chinese = sorted([*words()["filler_zh"], *said["filler_zh"]], key=len, reverse=True)
    take_likenesses(marked)
    for pattern, built in said["absent"]:
        if re.search(built, code) is None:
            marked.take(re.compile(pattern), "filler")
    marked.take(
        re.compile(
            rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, sorted(latin, key=len, reverse=True)))})(?![a-z0-9_])"
        ),
        "filler",
    )
    marked.take(re.compile("|".join(map(re.escape, chinese))), "filler")
    return not [w for w in marked.left() if not misspelt_filler(w)]


def _as_one(statements: Sequence[ToldStatement], wanted: Sequence[Wanted]) -> str | None:
    """Return the only result as an expression; None of several."""
    if len(wanted) != 1:
        return None
    values: dict[str, ast.expr] = {}
    for statement in statements:
        if len(statement.names) == 1:
            values[statement.names[0]] = substituted(statement.tree, values)
    try:
        return ast.unparse(substituted(wanted[0].tree, values))
    except RecursionError:
        return None


_ALIKE = {
    "norm": "vector_norm", "max": "amax", "min": "amin", "maximum": "amax", "minimum": "amin", "clip": "clamp",
    "transpose": "mT", "power": "pow", "square": "pow", "divide": "div", "normalize": "vector_norm",
}  # fmt: skip
_DERIVED = re.compile(r"backward|bwd|grad|反向|梯度|导数", re.I)
_MOST_TENSORS = 3
_NUMBER = re.compile(r"(?<![A-Za-z0-9_])\d")


def says_no_more(title: str, code: str, formula: str | None, variables: tuple[str, ...]) -> bool:
    """Say whether a title names nothing but what the code computes; `formula` is its only result as an expression."""
    plain = title.lower()
    if _NUMBER.search(plain):
        return False
    said = said_words()
    for power, number in said["title powers"].items():
        if re.search(power, plain) and re.search(rf"(?<![\w.]){number}(?![\w.])", code) is None:
            return False
    for denied in re.finditer(rf"{said['title denies']} ?(?P<what>[a-z_]+|[\u4e00-\u9fff]+)", plain):
        if _found(denied["what"][:6], code):
            return False
        plain = plain.replace(denied[0], " ")
    plain = re.sub(said["title nouns"], " ", plain)
    names = {n.operator: plain[n.begin : n.end] for n in find_operators(plain)}
    for name, spelt in names.items():
        if not _DERIVED.search(plain) and not _is_in(name, code, formula, variables):
            other = _relation(name, formula, variables) == "other"
            if other or len(names) > 1 or not _may_be_called(name, code):
                return False
            continue  # a variant of their own, whose words are looked at like any other
        plain = plain.replace(spelt, " ")
    return all(_found(m[0], code) for m in _telling().finditer(plain))


@cache
def _telling() -> re.Pattern[str]:
    stems = said_words()["title tells"].split("|")
    latin, others = ([s for s in stems if s.isascii() is kind] for kind in (True, False))
    return re.compile(rf"(?<![a-z])(?:{'|'.join(latin)})|{'|'.join(others)}")


def _is_in(name: str, code: str, formula: str | None, variables: tuple[str, ...]) -> bool:
    """Say whether statements compute an operator: they apply it, all its parts, or are what it is defined as."""
    applied = _applied(code)
    if _ALIKE.get(name, name) in applied or (name == "norm" and "sqrt" in applied):
        return True
    related = _relation(name, formula, variables)
    if related is not None:
        return related != "other"
    entry = operator_named(name)
    if entry is not None and entry.category == "normalization":
        return bool(applied & {"mean", "var"}) and bool(applied & {"sqrt", "rsqrt", "pow"})
    parts = {_ALIKE.get(p, p) for p in parts_of(name)} - {"mT", "chunk", "split", "cat"}
    if entry is not None and entry.category == "quantization":
        return "mul" in applied if name.startswith("de") else "round" in applied
    inside = {part for operator in applied for part in parts_of(operator)}
    return bool(parts) and parts <= applied | inside


def _relation(name: str, formula: str | None, variables: tuple[str, ...]) -> str | None:
    """Return how the only result is related to an operator's definition; None where that is not known."""
    if formula is None or len(variables) > _MOST_TENSORS:
        return None
    found = relation(name, formula, variables)
    return found.kind if found is not None else None


def _may_be_called(name: str, code: str) -> bool:
    """Say whether people may call statements so: a composite, a loss, or an operator of which they have some parts."""
    entry = operator_named(name)
    applied = _applied(code)
    some = {_ALIKE.get(p, p) for p in parts_of(name)} & applied
    composite = entry is not None and (entry.source is not None or entry.category == "loss")
    return bool(applied) and (composite or len(some) > 1) and (name != "linear" or "matmul" in applied)


def _applied(code: str) -> set[str]:
    """Return the operators that the lines of a function apply."""
    lines = [line.partition(" = ")[2] or line.removeprefix("return ") for line in code.splitlines()]
    applied = {_ALIKE.get(o, o) for line in lines for o in operations_of(line)} | {
        "mT" if ".mT" in code else ""
    }
    if re.search(r"\w\[(?:[:, ]|\.\.\.)*[A-Za-z_]\w*[\],]", code):
        applied |= {"embedding", "gather", "index_select"}
    return applied


def _found(stem: str, code: str) -> bool:
    """Say whether the code has a word, or what is written for it."""
    pattern = said_words()["same stems"].get(stem, re.escape(stem))
    return re.search(pattern, code, re.I if pattern.isalpha() else 0) is not None
