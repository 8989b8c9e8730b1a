"""Join what a text tells piece by piece: "y = x (x >= 0)", "y = a * x (x < 0)" is one equation with a condition."""

import ast
import re
from typing import NamedTuple

from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.trees import call

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.GtE: ast.Lt, ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
_BEFORE = re.compile(r"(?:[\s,，;；(（]|(?<![a-z])(?:if|when|for|where)(?![a-z])|当|若|如果)*")
_OTHERWISE = re.compile(
    r"(?:[\s,，;；(（]|(?<![a-z])(?:if|when)(?![a-z]))*(?:otherwise|else|elsewhere|否则|其[他它余](?:情况)?)"
)


class Equation(NamedTuple):
    """`name` = `tree`; a name of None where only an expression is said. Where it stands in the text."""

    name: str | None
    tree: ast.expr
    begin: int
    end: int


def joined_pieces(text: MarkedText, found: list[Equation]) -> list[Equation] | None:
    """Return the equations with those of one name under conditions joined; None where a condition stands alone."""
    joined: list[Equation] = []
    at = 0
    while at < len(found):
        piece = _two_pieces(text, found[at : at + 4])
        if piece is not None:
            count, equation = piece
            joined.append(equation)
            at += count
            continue
        if found[at].name is None and isinstance(found[at].tree, ast.Compare) and len(found) > 1:
            return None
        joined.append(found[at])
        at += 1
    return joined


def _two_pieces(text: MarkedText, some: list[Equation]) -> tuple[int, Equation] | None:
    """Return how many equations make two pieces of one value, and that value."""
    if len(some) < len(("value", "condition", "value")):
        return None
    first, condition, second = some[:3]
    if first.name is None or first.name != second.name or not _is_condition(text, first, condition):
        return None
    last = some[3] if len(some) > 3 and _is_condition(text, second, some[3]) else None
    if last is not None and not _opposite(condition.tree, last.tree):
        return None
    if last is None:
        otherwise = _OTHERWISE.match(text.text, second.end)
        if otherwise is None:
            return None
        text.mark(*otherwise.span(), "filler")
    for before, said in ((first, condition), *(((second, last),) if last is not None else ())):
        text.mark(before.end, said.begin, "filler")
    tree = call("torch.where", condition.tree, first.tree, second.tree)
    end = last.end if last is not None else second.end
    return (4 if last is not None else 3), Equation(
        first.name, ast.fix_missing_locations(tree), first.begin, end
    )


def _is_condition(text: MarkedText, value: Equation, said: Equation) -> bool:
    between = text.text[value.end : said.begin]
    return said.name is None and isinstance(said.tree, ast.Compare) and _BEFORE.fullmatch(between) is not None


def _opposite(one: ast.expr, other: ast.expr) -> bool:
    """Say whether a condition holds where the other one does not."""
    if not isinstance(one, ast.Compare) or not isinstance(other, ast.Compare) or len(one.ops) != 1:
        return False
    sides = [(ast.unparse(c.left), ast.unparse(c.comparators[0])) for c in (one, other)]
    return sides[0] == sides[1] and len(other.ops) == 1 and _OPPOSITE[type(one.ops[0])] is type(other.ops[0])
