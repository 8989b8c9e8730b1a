"""Read what is done with several tensors before or as an operator takes them: joined, prepared alike, along the
channels.

"concat (64,16), (64,32) and (64,8) along dim 1", "stack 4 tensors of 8x16" join more than two tensors. In "normalise
the rows of a and b, then a @ b^T" something is done to two tensors alike before a formula takes both. A vector with one
value per channel, "add a per-channel bias [64] to x [8, 64, 14, 14], then relu", PyTorch would broadcast along the last
axis: the text is read with the vector shaped as it broadcasts along the channels, and what is built takes it as told.
"""

import re
from collections.abc import Callable

from akgen.agents.requests.needs import missing
from akgen.agents.requests.program import ChainLines, chain_lines
from akgen.agents.requests.request import ChainStep, Request, RequestSource, Shape
from akgen.knowledge.operators import find_operators

Read = Callable[[str, Request], Request | None]
_COUNTS = {
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "eight": 8,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "八": 8,
}
_COUNT = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<count>{'|'.join(_COUNTS)}|[3-9]) ?(?:个)?(?= ?(?:(?:fp|bf|float|int)\d+ |differe"
    rf"nt |separate |half )?"
    r"(?:tensors|inputs|matrices|arrays|vectors|张量|输入|矩阵|向量|tensor))",
    re.I,
)
_VERB = re.compile(
    r"(?<![A-Za-z])(?:concat(?:enat(?:e|ion|ing))?|cat|join(?:ing)?|stack(?:ing)?)(?![A-Za-z])|拼接|连接|堆叠"
    r"|拼(?:在|到)一起",
    re.I,
)
_SHAPE = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|\d+(?: ?[x×] ?\d+)+)"
_TENSOR = rf"(?:[a-z]\w{{0,7}} ?(?:is |of |of shape |[:=：]|是|为|形状)? ?)?{_SHAPE}"
_SEPARATOR = r" ?(?:,|，|、|;|；|和|与| and |, and ) ?"
_LIST = re.compile(rf"(?<![\w.]){_TENSOR}(?:{_SEPARATOR}{_TENSOR}){{2,7}}(?![\w.])", re.I)
_NAMES = re.compile(
    rf"(?P<names>(?<![\w.])[a-z]\w?(?:{_SEPARATOR}[a-z]\w?){{2,7}})(?![\w.])(?: (?=along|over|on|at))?", re.I
)


def joined_request(said: str, read: Read) -> Request | None:
    """Return the request of a text that joins three tensors or more; None of another one."""
    said = re.sub(r"(?<![A-Za-z])join(?:ing)?(?![A-Za-z])", "concat", said, flags=re.I)
    if _VERB.search(said) is None:
        return None
    listed, counted = _LIST.search(said), _COUNT.search(said)
    shapes = _shapes(listed[0]) if listed is not None else []
    count = None if counted is None else _COUNTS.get(counted["count"].lower()) or int(counted["count"])
    if count is not None and shapes and len(shapes) != count:
        return None
    if listed is not None:
        pair = f"x {_bracketed(shapes[0])}, y {_bracketed(shapes[1])}"
        said = f"{said[: listed.start()]}{pair}{said[listed.end() :]}"
        names = _NAMES.search(said)
        if names is not None and len(re.split(_SEPARATOR, names["names"])) == len(shapes):
            said = f"{said[: names.start()]} {said[names.end() :]}"
    elif count is None or len(re.findall(_SHAPE, said)) > 1:
        return None  # three tensors, and two shapes
    said = _COUNT.sub(lambda m: "two " if m["count"].isascii() else "两个", said)
    known = read(said, Request())
    if known is None or missing(known) or known.returned or len(known.steps) != 1 or len(known.shapes) != 1:
        return None
    step = known.steps[0]
    if step.operator not in ("cat", "stack") or step.formula is not None or not {*step.attributes} <= {"dim"}:
        return None
    shapes = shapes or [known.shapes[0][0]] * (count or 2)
    called = tuple(f"x{i}" for i in range(1, len(shapes) + 1))
    dim = step.attributes.get("dim", 0)
    joined = ChainStep(
        operator="formula",
        formula=f"torch.{step.operator}(({', '.join(called)}), dim={dim})",
        variables=called,
    )
    rank = len(shapes[0])
    free = dim % rank if step.operator == "cat" and isinstance(dim, int) else None
    if not isinstance(dim, int) or len({tuple(n for i, n in enumerate(s) if i != free) for s in shapes}) > 1:
        return None
    return known.model_copy(update={"steps": (joined,), "shapes": (tuple(shapes),)})


def _shapes(listed: str) -> list[Shape]:
    return [tuple(int(n) for n in re.findall(r"\d+", shape)) for shape in re.findall(_SHAPE, listed)]


def _bracketed(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]"


# Two tensors that are prepared alike

_PREPARED = "prepared"
_ONE = r"[a-z](?:\d|_[a-z]+)?"
_BOTH = re.compile(
    rf"(?P<what>[^.。;；\n]*?)(?P<names>(?<![\w.])(?P<left>{_ONE})(?: (?:and|&) | ?(?:,|、|和|与|及) ?)(?P<ri"
    rf"ght>{_ONE}))(?![\w.(\[=])"
    r"(?P<how>[^,，.;；。()（）\n]*?)(?P<told> ?[(（][^()（）]*[)）])?(?: ?[,，;；.。])? ?(?:and )?"
    rf"(?:then|next|afterwards|然后|再|接着|之后) ?(?:(?:compute|take|calculate|计算|算|求|做) )?(?P<rest>.*)",
    re.I | re.S,
)
_EACH = re.compile(r"\A[\s(（,，]*(?:each|both|都是?|均为|各)? ?(?:of shape )?", re.I)
_TENSOR_SHAPE = re.compile(r"[\[(] ?\d+(?: ?, ?\d+)+ ?[\])]|(?<![\w.])\d+(?: ?[x×] ?\d+)+(?![\w.])")
_TYPE = re.compile(r"(?<![A-Za-z0-9])(?:(?:fp|bf|float|bfloat)\d+|half|float)(?![A-Za-z0-9])", re.I)
_TITLE = re.compile(r"\A[^.:：。]{1,40}[.:：。]\s+")
_MODEL = re.compile(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])")  # CLIP, which is no clip


def prepared_request(said: str, read: Read) -> Request | None:
    """Return the request of a text that treats two tensors alike before its formula; None of another one."""
    title = _TITLE.match(said)
    if title is not None and not find_operators(_MODEL.sub("", title[0]).lower()):
        said = said[title.end() :]
    match = _BOTH.match(said)
    shape, kind = _TENSOR_SHAPE.search(said), _TYPE.search(said)
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
    source = _function(before, after)
    return both.model_copy(update={"steps": (), "source": source})


def _function(before: ChainLines, after: ChainLines) -> RequestSource:
    """Write the function that does the first part with each tensor, and then what takes both."""
    expression = before.lines[0].removeprefix("return ")
    (only,) = before.inputs
    each = [
        f"{name} = {re.sub(rf'(?<![.A-Za-z0-9_]){only}(?![A-Za-z0-9_])', name, expression)}"
        for name in after.inputs
    ]
    body = "\n    ".join([*each, *after.lines])
    text = f"import torch\n\n\ndef {_PREPARED}({', '.join(after.inputs)}):\n    {body}\n"
    return RequestSource(kind="code", name=_PREPARED, text=text, entry=_PREPARED, arguments=after.inputs)


# A vector with one value per channel

_PER = (
    r"(?:per[- ]channel|channel-?wise|one (?:value )?(?:per|for each) channel|(?:over|along|across) (?:the )?"
    r"channels?(?: axis| dim)?"
    r"|per output channel|逐通道|每个?通道(?:一个|各一个)?|按通道)(?:的)?"
)
_SAID = re.compile(rf"[,，]? ?[(（]? ?(?<![A-Za-z]){_PER}(?![A-Za-z]) ?[)）]?", re.I)
_VECTOR = re.compile(r"[\[(（] ?(?P<size>\d+) ?,? ?[\])）]")
_IMAGE = re.compile(r"[\[(] ?\d+(?: ?, ?\d+){2,4} ?[\])]|(?<![\w.])\d+(?: ?[x×] ?\d+){2,4}(?![\w.])")
_LAST = re.compile(r"NHWC|NWC|NDHWC|channels?[- ]last|norm|conv|prelu|卷积|归一化|quant|量化", re.I)
_PER_CHANNEL = "per_channel"


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
    text = f"import torch\n\n\ndef {_PER_CHANNEL}({', '.join(lines.inputs)}):\n    {body}\n"
    source = RequestSource(
        kind="code", name=_PER_CHANNEL, text=text, entry=_PER_CHANNEL, arguments=lines.inputs
    )
    told = tuple((channels,) if i in vectors else shape for i, shape in enumerate(shapes))
    return known.model_copy(update={"steps": (), "source": source, "shapes": (told,)})
