"""Read how far a tensor is padded on which sides: "reflect pad 2 on each side", "右侧补 5 个 0", "left 1 right 3"."""

import re

from akgen.agents.requests.attributes import DIMS, AttributeValues
from akgen.agents.requests.follow_up_words import plainly
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import Value

_N = r"(?<![\d.x])(\d+)(?!\d|\.\d| ?x ?\d)"
_MODES = (
    (r"reflect(?:ion|ive|ing|ed)?|mirror(?:ed)?|反射|镜像|对称", "reflect"),
    (
        r"replicat(?:e|ion|ed|ing)|edge|repeat(?:ed)? (?:the )?edges?|复制(?:边缘|边界)?|边缘复制|边界复制|重复边缘",
        "replicate",
    ),
    (r"circular|wrap(?:ped|around)?|periodic|循环|环形|周期", "circular"),
    (r"constant|zeros?|zero|常数|常量|零", "constant"),
)
_PADS = re.compile(
    rf"(?<![a-z_])(?:(?P<mode>{'|'.join(m for m, _ in _MODES)})[ -]?)?(?:pad(?:ding|ded)?(?! ?(?:idx|mode))|填充"
    rf"|补零|补边|补)(?![a-z0-9_])"
    r"|补 ?(?:0|零)"
)
_SIDES = (
    (r"left(?:[- ]?(?:hand )?side)?|左(?:侧|边|面)?", (0,)), (r"right(?:[- ]?(?:hand )?side)?|右(?:侧|边|面)?", (1,)),
    (r"top|above|upper(?: side)?|up|上(?:方|侧|边|面)?", (2,)),
    (r"bottom|below|lower(?: side)?|down|下(?:方|侧|边|面)?", (3,)),
    (r"front|前(?:方|面|端)?", (4,)), (r"back|后(?:方|面|端)?", (5,)),
    (r"left and right|左右(?:两侧|两边|各)?", (0, 1)), (r"top and bottom|上下(?:两侧|两边)?", (2, 3)),
    (r"left,? right,? top,? (?:and )?bottom|top,? bottom,? left,? (?:and )?right"
     r"|all (?:four |the )?(?:sides|edges|borders)|every (?:side|edge|border)|all (?:a)?round|around"
     r"|四周|四边|上下左右|左右上下|各边|每边|周围", (0, 1, 2, 3)),
)  # fmt: skip
_SIDE = "|".join(
    f"(?P<s{i}>{pattern})"
    for i, (pattern, _) in sorted(enumerate(_SIDES), key=lambda p: (-len(p[1][1]), -len(p[1][0])))
)
_SOME = (
    r"(?:[\s:=,]|(?<![a-z])(?:by|of|with|is|on|at|the|and|side|pad|zeros?|pixels?|to)(?![a-z])"
    r"|各|都|均|补|填充|填|为|是|添加|加)*"
)
_OF_WHAT = (
    r"(?: ?(?:个|圈|层|行|列|排|的|pixels?|rows?|columns?|cols?|elements?|像素|元素|0(?![\d.x])|零|zeros?))*"
)
_AMOUNT_AFTER = re.compile(rf"(?:{_SIDE})(?:(?:[和与]|两侧|两边){{0,2}}){_SOME}{_N}{_OF_WHAT}")
_AMOUNT_BEFORE = re.compile(
    rf"{_N} ?(?:zeros?|pixels?|elements?|rows?|columns?|cols?|个?像素|个 ?0)?{_SOME}(?:{_SIDE})(?![a-z])"
)
_VALUE = re.compile(
    r"(?:填充值|填充|填|补|(?<![a-z])(?:pad(?:ding)? value|value|fill(?:ed|ing)?(?: value)?|constant|with"
    r"|using)(?![a-z]))"
    r"(?:[ :=]|(?<![a-z])(?:with|by|of|is|the|an?|value|constant)(?![a-z])|为|是|成|上|用|常数|值)*"
    r"(?P<value>-?(?:\d+(?:\.\d+)?(?:e-?\d+)?|inf)|ones?|一|负无穷大?)"
    r"(?![\d.a-z]| ?(?:个|行|列|圈|层|像素|pixels?|rows?|columns?|cols?|zeros?|elements?|on |at |x ?\d))"
)
_BOTH = re.compile(
    rf"{_N} ?(?:zeros?|pixels?|elements?|个?像素)? ?(?:on|at|to) (?:both|each|either)(?: (?:sides?"
    rf"|ends?))?(?: of the last (?:dim(?:ension)?|axis))?"
    rf"|(?:both|each) (?:sides?|ends?){_SOME}{_N}"
    rf"|(?:两侧|两边|两端|首尾)(?:各|都)?{_SOME}{_N}(?: ?个?(?:像素|元素|0|零))*"
)
_ALONE = re.compile(
    rf"(?:pad(?:ding|ded)?|填充|补零|补)(?:[ :=]|(?<![a-z])(?:by|of|with|width|size|the|borders?)(?![a-z])|宽度|大小"
    rf"|为)*{_N}(?: ?个?(?:像素|pixels?|元素))?"
)


def take_pads(text: MarkedText, known: Request, windows: bool) -> None:
    """Mark padding as the operator with its sides and mode; `windows` if a convolution or pooling has it as its own."""
    found = _PADS.search(text.rest)
    called = re.search(r"(?<![a-z_])(?:pad|f\.pad) ?[\[(]", text.text) is not None
    if (
        windows
        or found is None
        or (called and not _AMOUNT_AFTER.search(text.rest) and not _AMOUNT_BEFORE.search(text.rest))
    ):
        return
    sides = _sides(text, known)
    if sides is None:
        return
    begin, end = found.span()
    mode = next(
        (name for pattern, name in _MODES if found["mode"] and re.fullmatch(pattern, found["mode"])), None
    )
    values: dict[str, Value] = {"pad": sides} | ({"mode": mode} if mode else {})
    if mode not in (None, "constant") and len(sides) == 2 and (_rank(text, known) or 0) > _SIGNAL:
        return  # PyTorch pads both axes of an image so, or none
    text.mark(begin, end, "operator", "pad")
    filled = _VALUE.search(text.rest) if mode in (None, "constant") else None
    if filled is not None:
        said = filled["value"]
        values["value"] = (
            1.0
            if said in ("one", "ones", "一")
            else float(said.replace("负无穷大", "-inf").replace("负无穷", "-inf"))
        )
        text.mark(*filled.span(), "filler")
    text.mark(begin, begin, "attribute", AttributeValues(values))


def _sides(text: MarkedText, known: Request) -> tuple[int, ...] | None:
    amounts = [0] * 6
    taken: list[tuple[int, int]] = []
    after, before = ([m.start() for m in p.finditer(text.rest)] for p in (_AMOUNT_AFTER, _AMOUNT_BEFORE))
    leads = len(before) > len(after) or (len(before) == len(after) > 0 and before < after)
    for pattern in (_AMOUNT_BEFORE,) if leads else (_AMOUNT_AFTER, _AMOUNT_BEFORE):
        for match in text.matches(pattern):
            name = next(n for n, v in match.groupdict().items() if v)
            number = int(next(g for g in match.groups() if g and g.isdigit()))
            for side in _SIDES[int(name[1:])][1]:
                amounts[side] = number
            taken.append(match.span())
            text.mark(*match.span(), "filler")
        if taken:
            break
    only = None if taken else _BOTH.search(text.rest) or _ALONE.search(text.rest)
    if only is not None:
        number = int(next(g for g in only.groups() if g))
        rank = _rank(text, known)
        if rank is None or (rank == _SIGNAL and _IMAGE.search(text.text)):
            return None  # (C, H, W): which sides are meant?
        both = only.re is _BOTH and re.search(r"each sides?(?! of)|each ends?(?! of)", only[0]) is None
        amounts[: 2 if both or rank == _SIGNAL else 4] = [number] * (2 if both or rank == _SIGNAL else 4)
        keep = _PADS.search(only[0]) if only.re is _ALONE else None
        text.mark(only.start() + (keep.end() if keep else 0), only.end(), "filler")
    if not any(amounts):
        return None
    axes = max(i for i, n in enumerate(amounts) if n) // 2 + 1
    return tuple(amounts[: 2 * axes])


_SIGNAL = 3
_IMAGE = re.compile(r"(?<![a-z])(?:images?|pictures?|feature maps?)(?![a-z])|图")
_OTHER_MODE = re.compile(
    rf"(?:(?:use|switch(?: it)?|change(?: it)?|make it|try|do|go|to|with|the|an?|pad(?:ding)?|mode|it|please|填充|补边"
    rf"|方式|模式|改|换|变|用|成|为|把) ?)*(?P<mode>{'|'.join(m for m, _ in _MODES)})"
    r"(?:[ -]?(?:instead(?: of [a-z ]+)?|please|now|pad(?:ding|ded)?|mode|填充|补边|方式|模式|的|吧|了|值))*",
    re.I,
)


def other_mode(part: str, known: Request) -> str | None:
    """Write "switch to replicate padding" of what is padded as "mode=replicate"."""
    said = plainly(part)
    match = _OTHER_MODE.fullmatch(said) if any(s.operator == "pad" for s in known.steps) else None
    if match is None:
        return None
    return f"mode={next(name for pattern, name in _MODES if re.fullmatch(pattern, match['mode'], re.I))}"


def _rank(text: MarkedText, known: Request) -> int | None:
    shapes = re.findall(DIMS, text.text)
    if shapes:
        return len(re.findall(r"\d+", shapes[-1]))
    return len(known.shape) if known.shape else None
