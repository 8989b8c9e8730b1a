"""Read a text without the heading in front of its equations: "squared distances of x (8, 4), y (6, 4): d[i,j] = ...".

The tensors that a heading declares stay. Its other words may go where they name nothing but what is built.
"""

import ast
import re
from typing import NamedTuple

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.request import Request
from akgen.agents.requests.specified.layout import SpecifiedText, said_words
from akgen.agents.requests.specified.tensors import told_tensors
from akgen.agents.requests.specified.titles import says_no_more
from akgen.knowledge.operators import find_operators

_HEADING = re.compile(
    r"\A(?P<title>[^=\n]{3,140}?)[:：]\s*(?P<rest>[A-Za-z_]\w*(?: ?\[[a-z, ]+\])? ?=(?!=).*)\Z", re.S
)


_FOR = re.compile(
    r"\A(?:this is |it is |it's )?for (?:our|my|the|an?|some) (?P<what>[A-Za-z -]{2,30}?)"
    r"(?: (?:thing|stuff|project|code|step|model))?[:：,，] *",
    re.I,
)


class Headed(NamedTuple):
    """A text whose tensors stand behind its equations, and what else the heading says."""

    text: str
    title: str


def headed(text: str) -> Headed | None:
    """Return a text without its heading; None where it has none."""
    reason = _FOR.match(text)
    if reason is not None and not find_operators(reason["what"]):
        text = text[reason.end() :]
    match = _HEADING.match(text)
    if match is None or re.search(r"[;；]|\.\s", match["title"]):
        return None
    layout = SpecifiedText(match["title"])
    tensors = [t for t in told_tensors(layout) if t.shape is not None]
    title = layout.text
    for tensor in reversed(tensors):
        title = f"{title[: tensor.begin]} {title[tensor.end :]}"
    declared = "".join(
        f", {t.name} {list(t.shape or ())}{f' {t.dtype.value}' if t.dtype else ''}" for t in tensors
    )
    return Headed(f"{match['rest'].rstrip(' .。')}{declared}", title)


def is_named_so(request: Request, title: str) -> bool:
    """Say whether a heading names nothing but what is built."""
    if request.source is not None:
        code = request.source.text.partition(":\n")[2]
    elif all(s.formula is not None for s in request.steps):
        code = "\n".join(f"y = {s.formula}" for s in request.steps)
    else:
        return False
    code = "\n".join(line.strip() for line in code.splitlines())
    one = [s for s in request.steps if s.formula is not None]
    formula = one[0].formula if len(request.steps) == 1 and one else None
    variables = one[0].variables if one else ()
    if not code or not _is_python(code) or not says_no_more(title, code, formula, tuple(variables)):
        return False
    return not _unknown(title)


def _unknown(title: str) -> list[str]:
    """Return the words of a heading that are no names and are not known to say nothing."""
    text = MarkedText(re.sub(said_words()["title nouns"], " ", title, flags=re.I))
    for named in find_operators(text.rest):
        text.mark(named.begin, named.end, "operator")
    said, told = words(), said_words()
    latin = sorted([*said["filler"], *told["filler"], *said["told"]["filler"]], key=len, reverse=True)
    chinese = sorted(
        [*said["filler_zh"], *told["filler_zh"], *said["told"]["filler_zh"]], key=len, reverse=True
    )
    stems = told["title tells"].split("|")
    text.take(re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, latin))})(?![a-z0-9_])"), "filler")
    text.take(re.compile("|".join(map(re.escape, chinese))), "filler")
    text.take(re.compile(rf"(?<![a-z])(?:{'|'.join(s for s in stems if s.isascii())})[a-z]*"), "filler")
    return text.left()


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True
