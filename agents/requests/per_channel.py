"""Read a vector that holds one value per channel: "add a per-channel bias [64] to x [8, 64, 14, 14], then relu".

PyTorch would broadcast it along the last axis. The text is read with the vector shaped as it broadcasts along the
channels; what is built takes it as it was told.
"""

import re
from collections.abc import Callable

from akgen.agents.requests.needs import missing
from akgen.agents.requests.program import chain_lines
from akgen.agents.requests.request import Request, RequestSource

Read = Callable[[str, Request], Request | None]
_PER = (
    r"(?:per[- ]channel|channel-?wise|one (?:value )?(?:per|for each) channel|(?:over|along|across) (?:the )?"
    r"channels?(?: axis| dim)?"
    r"|per output channel|逐通道|每个?通道(?:一个|各一个)?|按通道)(?:的)?"
)
_SAID = re.compile(rf"[,，]? ?[(（]? ?(?<![A-Za-z]){_PER}(?![A-Za-z]) ?[)）]?", re.I)
_VECTOR = re.compile(r"[\[(（] ?(?P<size>\d+) ?,? ?[\])）]")
_IMAGE = re.compile(r"[\[(] ?\d+(?: ?, ?\d+){2,4} ?[\])]|(?<![\w.])\d+(?: ?[x×] ?\d+){2,4}(?![\w.])")
_LAST = re.compile(r"NHWC|NWC|NDHWC|channels?[- ]last|norm|conv|prelu|卷积|归一化|quant|量化", re.I)
_NAME = "per_channel"


def per_channel_request(said: str, read: Read) -> Request | None:
    """Return the request of a text with vectors along the channels; None of another one."""
    images = {tuple(int(n) for n in re.findall(r"\d+", m[0])) for m in _IMAGE.finditer(said)}
    if not _SAID.search(said) or _LAST.search(said) or len(images) != 1:
        return None
    image = images.pop()
    channels, behind = image[1], len(image) - 2
    sizes = {int(m["size"]) for m in _VECTOR.finditer(said)}
    if sizes != {channels} or channels == image[-1]:
        return None
    shaped = f"[{channels}{', 1' * behind}]"
    plain = re.sub(r"\s+([,，.])", r"\1", _SAID.sub(" ", _VECTOR.sub(shaped, said)))
    known = read(plain, Request())
    if (
        known is None
        or missing(known)
        or known.returned
        or known.every_result
        or known.source is not None
        or len(known.shapes) != 1
    ):
        return None
    shapes = known.shapes[0]
    vectors = [i for i, shape in enumerate(shapes) if shape == (channels, *(1,) * behind)]
    lines = chain_lines(known)
    if not vectors or lines is None or len(lines.inputs) != len(shapes):
        return None
    views = [f"{name} = {name}.reshape(-1{', 1' * behind})" for i in vectors for name in (lines.inputs[i],)]
    body = "\n    ".join([*views, *lines.lines])
    text = f"import torch\n\n\ndef {_NAME}({', '.join(lines.inputs)}):\n    {body}\n"
    source = RequestSource(kind="code", name=_NAME, text=text, entry=_NAME, arguments=lines.inputs)
    told = tuple((channels,) if i in vectors else shape for i, shape in enumerate(shapes))
    return known.model_copy(update={"steps": (), "source": source, "shapes": (told,)})
