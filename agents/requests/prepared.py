"""Read what is done to two tensors alike before a formula takes both: "normalise the rows of a and b, then a @ b^T".

The first part is read of one tensor, the formula of both as they are told; the first part goes to each.
"""

import re
from collections.abc import Callable

from akgen.agents.requests.needs import missing
from akgen.agents.requests.program import ChainLines, chain_lines
from akgen.agents.requests.request import Request, RequestSource
from akgen.knowledge.operators import find_operators

Read = Callable[[str, Request], Request | None]
_NAME = "prepared"
_ONE = r"[a-z](?:\d|_[a-z]+)?"
_BOTH = re.compile(
    rf"(?P<what>[^.。;；\n]*?)(?P<names>(?<![\w.])(?P<left>{_ONE})(?: (?:and|&) | ?(?:,|、|和|与|及) ?)(?P<ri"
    rf"ght>{_ONE}))(?![\w.(\[=])"
    r"(?P<how>[^,，.;；。()（）\n]*?)(?P<told> ?[(（][^()（）]*[)）])?(?: ?[,，;；.。])? ?(?:and )?"
    rf"(?:then|next|afterwards|然后|再|接着|之后) ?(?:(?:compute|take|calculate|计算|算|求|做) )?(?P<rest>.*)",
    re.I | re.S,
)
_EACH = re.compile(r"\A[\s(（,，]*(?:each|both|都是?|均为|各)? ?(?:of shape )?", re.I)
_SHAPE = re.compile(r"[\[(] ?\d+(?: ?, ?\d+)+ ?[\])]|(?<![\w.])\d+(?: ?[x×] ?\d+)+(?![\w.])")
_TYPE = re.compile(r"(?<![A-Za-z0-9])(?:(?:fp|bf|float|bfloat)\d+|half|float)(?![A-Za-z0-9])", re.I)
_TITLE = re.compile(r"\A[^.:：。]{1,40}[.:：。]\s+")
_MODEL = re.compile(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])")  # CLIP, which is no clip


def prepared_request(said: str, read: Read) -> Request | None:
    """Return the request of a text that treats two tensors alike before its formula; None of another one."""
    title = _TITLE.match(said)
    if title is not None and not find_operators(_MODEL.sub("", title[0]).lower()):
        said = said[title.end() :]
    match = _BOTH.match(said)
    shape, kind = _SHAPE.search(said), _TYPE.search(said)
    if match is None or shape is None or kind is None:
        return None
    first = f"{match['what']}x{match['how']}".strip()
    if not find_operators(first.lower()):
        return None
    one = read(f"{first}, {shape[0]}, {kind[0]}", Request())
    told = _EACH.sub("", match["told"] or "").rstrip(" )）")
    rest = match["rest"].strip(" .。")
    both = read(f"{rest}, {match['names']} {told}" if told else rest, Request())
    if one is None or both is None or missing(one) or missing(both) or one.source or both.source:
        return None
    before, after = chain_lines(one), chain_lines(both)
    names = (match["left"].lower(), match["right"].lower())
    if before is None or after is None or len(before.inputs) != 1 or {*after.inputs} != {*names}:
        return None
    if (
        len(before.lines) != 1
        or one.dtypes != both.dtypes
        or len(both.shapes) != 1
        or both.returned
        or both.every_result
    ):
        return None
    source = _written(before, after)
    return both.model_copy(update={"steps": (), "source": source})


def _written(before: ChainLines, after: ChainLines) -> RequestSource:
    """Write the function that does the first part with each tensor, and then what takes both."""
    expression = before.lines[0].removeprefix("return ")
    (only,) = before.inputs
    each = [
        f"{name} = {re.sub(rf'(?<![.A-Za-z0-9_]){only}(?![A-Za-z0-9_])', name, expression)}"
        for name in after.inputs
    ]
    body = "\n    ".join([*each, *after.lines])
    text = f"import torch\n\n\ndef {_NAME}({', '.join(after.inputs)}):\n    {body}\n"
    return RequestSource(kind="code", name=_NAME, text=text, entry=_NAME, arguments=after.inputs)
