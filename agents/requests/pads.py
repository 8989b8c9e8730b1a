"""Read how far a tensor is padded on which sides: "reflect pad 2 on each side", "右侧补 5 个 0", "left 1 right 3"."""

import re

from akgen.agents.requests.attributes import DIMS, AttributeValues
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import Value

_N = r"(?<![\d.x])(\d+)(?![\d.]| ?x ?\d)"
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
    (r"left,? right,? top,? (?:and )?bottom|top,? bottom,? left,? (?:and )?right|all (?:four )?sides|every side"
     r"|四周|四边|上下左右|左右上下|各边|每边|周围", (0, 1, 2, 3)),
)  # fmt: skip
_SIDE = "|".join(
    f"(?P<s{i}>{pattern})" for i, (pattern, _) in sorted(enumerate(_SIDES), key=lambda p: -len(p[1][0]))
)
_SOME = (
    r"(?:[\s:=,]|(?<![a-z])(?:by|of|with|is|on|at|the|and|side|pad|zeros?|pixels?|to)(?![a-z])"
    r"|各|都|均|补|填充|填|为|是|添加|加)*"
)
_OF_WHAT = r"(?: ?(?:个|圈|层|行|列|排|的|pixels?|像素|元素|0(?![\d.x])|零|zeros?))*"
_AMOUNT_AFTER = re.compile(rf"(?:{_SIDE})(?:(?:[和与]|两侧|两边){{0,2}}){_SOME}{_N}{_OF_WHAT}")
_AMOUNT_BEFORE = re.compile(rf"{_N} ?(?:zeros?|pixels?|elements?|个?像素|个 ?0)?{_SOME}(?:{_SIDE})(?![a-z])")
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
    if windows or found is None or re.search(r"(?<![a-z_])(?:pad|f\.pad) ?[\[(]", text.text):
        return
    sides = _sides(text, known)
    if sides is None:
        return
    begin, end = found.span()
    mode = next(
        (name for pattern, name in _MODES if found["mode"] and re.fullmatch(pattern, found["mode"])), None
    )
    values: dict[str, Value] = {"pad": sides} | ({"mode": mode} if mode else {})
    text.mark(begin, end, "operator", "pad")
    text.mark(begin, begin, "attribute", AttributeValues(values))


def _sides(text: MarkedText, known: Request) -> tuple[int, ...] | None:
    amounts = [0] * 6
    taken: list[tuple[int, int]] = []
    for pattern in (_AMOUNT_AFTER, _AMOUNT_BEFORE):
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
        if rank is None:
            return None
        both = only.re is _BOTH
        amounts[: 2 if both or rank == _SIGNAL else 4] = [number] * (2 if both or rank == _SIGNAL else 4)
        keep = _PADS.search(only[0]) if only.re is _ALONE else None
        text.mark(only.start() + (keep.end() if keep else 0), only.end(), "filler")
    if not any(amounts):
        return None
    axes = max(i for i, n in enumerate(amounts) if n) // 2 + 1
    return tuple(amounts[: 2 * axes])


_SIGNAL = 3


def _rank(text: MarkedText, known: Request) -> int | None:
    shapes = re.findall(DIMS, text.text)
    if shapes:
        return len(re.findall(r"\d+", shapes[-1]))
    return len(known.shape) if known.shape else None
