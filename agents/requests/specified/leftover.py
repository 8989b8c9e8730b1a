"""Take the words of a specification that say nothing more: titles, labels, how it compares; find what is left."""

import ast
import re
from collections.abc import Sequence

from akgen.agents.requests.guesses import misspelt_filler
from akgen.agents.requests.marks import words
from akgen.agents.requests.purposes import take_likenesses
from akgen.agents.requests.specified.layout import SpecifiedText, said_words
from akgen.agents.requests.specified.program import GivenTensor, MadeFunction
from akgen.agents.requests.specified.results import Wanted
from akgen.agents.requests.specified.statements import ToldStatement
from akgen.agents.requests.specified.titles import says_no_more
from akgen.agents.requests.trees import substituted

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
