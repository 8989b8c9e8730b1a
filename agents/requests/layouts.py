"""Axes by their names: "mean over time" of (B, T, C) = (4, 128, 32), "softmax over channels, NHWC", "沿 T 维求和".

What a shape's axes are called is read where it stands beside the shape, in a layout's name or in sizes by role. Without
it a name means an axis only where PyTorch's operators agree on it; else the person is asked.
"""

import re
from functools import cache

from akgen.agents.requests import sizes
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.roles import named_roles, roles

Layout = tuple[str, ...]  # the names of a tensor's axes, in order


_PLACES = (
    r"(?:(?:the )?spatial|(?:the )?(?:height and width|width and height|h and w|h ?(?:[,x*&/、和与跟及]|and) ?w))"
    r"|空间|高宽|长宽|高(?:度)?[和与、]宽度?"
)
_LETTER = r"[bnchwdslvtqkefmg]"
_AXIS = r"(?:axis|axes|dim(?:ension)?s?)"
_NAME = (
    rf"(?:{_LETTER}|bs|batch(?:[_ ]size)?|seq(?:uence)?(?:[_ ]?len(?:gth)?)?|(?:num[_ ])?heads?|nh"
    r"|dim|head[_ ]dim|d_?model|channels?|time"
    r"|height|width|tokens|hidden(?:[_ ]size)?|features|vocab|classes|len(?:gth)?)"
)
_NAMES = rf"[\[(]? ?(?P<names>{_NAME}(?: ?[,x*] ?{_NAME}){{1,4}}) ?[\])]?"
_OF_EACH = re.compile(
    r"(?<![a-z])(?:(?:of|for|in|over) (?:each|every) |per[- ])"
    r"(?:(?P<whole>sample|image|example|item|picture|batch element)"
    r"|(?:token|vector|embedding|point))(?:'s (?:features?|vector|values|embedding))?(?![a-z])"
    r"|(?:对|求)?每(?:一)?(?:个|张|条)?(?:(?P<whole_zh>样本|图像?|图片)|词元|token|向量|点)(?:的?(?:特征|向量))?"
    r"(?!数)"
)
_OWN_NAMES = r"[\[(] ?(?P<own>[a-z][a-z_]*(?: ?, ?[a-z][a-z_]*){1,4}) ?[\])] ?= ?(?=[\[(] ?\d)"
_DIMS = r"[\[(]? ?\d+k?(?: ?[,x*] ?\d+k?){1,4} ?[\])]?"
_LISTS = (
    re.compile(rf"(?<![a-z0-9_]){_NAMES} ?(?:=|:|是|为|is|of|with)? ?(?:shape |size |形状 ?)?(?={_DIMS})"),
    re.compile(
        rf"{_DIMS} ?(?:(?:fp|bf|float|u?int)\d+ ?|half ?)?(?:=|:|是|为|as|is|in)? ?(?=[\[(]){_NAMES}(?![a-z0-9_])"
    ),
)
_IN_PARENTHESES = re.compile(
    rf"[\[(] ?{_NAME}(?: ?[,x*] ?{_NAME}){{1,4}} ?[\])] ?(?:=|:|是|为|is|of|with)? ?(?={_DIMS})", re.I
)
_SIZED = re.compile(rf"(?<![a-z0-9_])(?:{_NAME} ?= ?\d+k?(?: ?[,;x] ?| +|(?=[\])])|$)){{2,5}}")
_WORDS = re.compile(
    r"(?<![a-z0-9_])(?P<letters>n(?:chw|hwc|cdhw|dhwc|cl|lc|ct|tc)|b(?:chw|hwc|tc|ct|cl|lc|ld|td|dt|sh|sd|hsd|shd|nsd|snd"
    r"|htd|thd|hld|lhd|cdhw)|sbh|tnd|tbc)(?![a-z0-9_])"
)


def layout_by_sizes(sized: dict[str, int]) -> Layout:
    """Return the axes of a tensor whose sizes are told by role: "batch 4, seq 128, hidden 512"."""
    return tuple(role for role in sizes.GENERAL if role in sized)


def without_layout(said: str) -> str:
    """Return a text without the names of axes in parentheses before a shape, which its numbers stand for."""
    return re.sub(_OWN_NAMES, " ", _IN_PARENTHESES.sub(" ", said), flags=re.I)


def layout_of(said: str) -> Layout:
    """Return the names of the axes of the first tensor whose axes a text names; none if it names none."""
    text = said.lower().replace("×", "x").replace("（", "(").replace("）", ")").replace("，", ",")
    for pattern in _LISTS:
        if (found := pattern.search(text)) is not None:
            return tuple(n.strip() for n in re.split(r" ?[,x*] ?", found["names"].strip()))
    if (found := re.search(_OWN_NAMES, text)) is not None:
        return tuple(re.split(r" ?, ?", found["own"].strip()))
    if (found := _SIZED.search(text)) is not None:
        return tuple(re.findall(rf"({_NAME}) ?= ?\d", found[0]))
    if (found := _WORDS.search(text)) is not None:
        return tuple(found["letters"])
    return ()


def take_named_axes(text: MarkedText, layout: Layout, rank: int | None, *, letters: bool = False) -> None:
    """Mark axes by their names, as far as they are certain; `rank` is that of the first tensor, None if unknown.

    With `letters` only those that are one letter each, which operators might be called too: "sum over T".
    """
    if rank is not None and len(layout) != rank:
        layout = ()
    for at, name in enumerate(layout if not letters else ()):
        if len(name) > 1:
            said = rf"(?<![a-z0-9_])(?:over|along|across) (?:the |all )?{re.escape(name)}(?: {_AXIS})?(?![a-z0-9_]| ?=)"
            text.take(re.compile(said), "axis", _as_axis([at], len(layout)))
    for match in text.matches(_said()):
        group = next(name for name, said in match.groupdict().items() if said and name != "said")
        found: list[int] = []
        named = [*_each().finditer(match[group])]
        if letters and any(each["said"] is None for each in named):
            continue
        for each in named:
            axes = _axes_of(each, layout, rank)
            if not axes:
                break
            found += axes
        else:
            text.mark(match.start(), match.end(), "axis", _as_axis(found, rank or len(layout) or None))


def take_each(text: MarkedText, rank: int | None) -> None:
    """Mark "of each sample" of a reduction: along all axes but the first, or the last one for what is a vector."""
    for match in text.matches(_OF_EACH) if rank else ():
        if match["whole"] or match["whole_zh"] or rank == 2:
            text.mark(match.start(), match.end(), "axis", _as_axis([*range(1, rank or 0)], rank))
        elif rank == 3:
            text.mark(match.start(), match.end(), "axis", -1)


def names_axis(word: str) -> bool:
    """Say whether a word names an axis, so that no sentence may be read without it."""
    return re.fullmatch(rf"(?:{_plain()})(?:维度?|轴|方向)?", word) is not None


def asks_axis(said: str, word: str) -> bool:
    """Say whether a word stands in a text as the name of an axis: "over time", "time axis", "沿时间"."""
    return any(word in match[0] for match in _said().finditer(said.lower()))


def take_layout_words(text: MarkedText, layout: Layout) -> None:
    """Mark a word such as "BTC" that names the axes which are known so."""
    for match in text.matches(_WORDS):
        if tuple(match["letters"]) == layout:
            text.mark(*match.span(), "filler")


def rank_of(text: MarkedText) -> int | None:
    """Return the rank of the first shape in a text; None if there is none."""
    found = re.search(rf"{sizes.PRODUCT}|[\[(] ?\d+k?(?: ?, ?\d+k?)+ ?[\])]", text.text)
    return len(re.findall(r"\d+k?", found[0])) if found else None


def layout_by_shape(text: MarkedText) -> Layout:
    """Return the axes of images whose sizes tell them, [2, 56, 56, 96], where height and width are named; else none."""
    found = re.search(rf"{sizes.PRODUCT}|[\[(] ?\d+k?(?: ?, ?\d+k?)+ ?[\])]", text.text)
    shape = re.findall(r"\d+k?", found[0]) if found else []
    last = len(shape) == len("nhwc") and shape[1] == shape[2] != shape[3]
    return ("n", "h", "w", "c") if last and re.search(_PLACES, text.text) else ()


def _axes_of(each: re.Match[str], layout: Layout, rank: int | None) -> list[int]:
    if (letter := each["said"]) is not None:
        return [layout.index(letter)] if letter in layout else []
    role = next(name for name, said in each.groupdict().items() if said)
    if role == "places":
        return _places(spatial=re.search("spatial|空间", each[0]) is not None, layout=layout, rank=rank)
    return _of_role(role, layout, rank)


def _places(*, spatial: bool, layout: Layout, rank: int | None) -> list[int]:
    """Return height and width, or all axes of space; the last ones where nobody says."""
    if not layout:
        count = 3 if spatial and rank == 5 else 2
        return [*range(-count, 0)] if rank is None or rank > count else []
    names = ("h", "w", "height", "width", *(("d", "l") if spatial and "c" in layout else ()))
    found = [i for i, name in enumerate(layout) if name in names]
    return found if len(found) == 2 or (spatial and found) else []


def _of_role(role: str, layout: Layout, rank: int | None) -> list[int]:
    wanted = roles()[role]
    image = "w" in layout or "width" in layout
    if not layout:
        return [wanted.usual[rank]] if rank in wanted.usual else []
    for name in wanted.names:
        if name not in layout or (name == "h" and (role == "height") != image):
            continue
        if name == "h" and role in ("heads", "hidden") and (role == "heads") != (layout[-1] != "h"):
            continue  # "bsh" ends with the hidden size, "bhsd" has heads
        if name == "n" and layout[0] == "n" and role != "batch":
            continue
        return [layout.index(name)]
    return []


def _as_axis(found: list[int], rank: int | None) -> sizes.Axis:
    """Return axes as the other readers write them: the last ones counted from the end."""
    axes = sorted({a % rank for a in found}) if rank else sorted({*found})
    count = len(axes)
    if rank and axes == [*range(rank - count, rank)]:
        return -1 if count == 1 else f"last {count}"
    return axes[0] if count == 1 else tuple(axes)


@cache
def _word() -> str:
    """Match a word for an axis, in the group of its role."""
    named = "|".join(f"(?P<{name}>{role.words})" for name, role in named_roles().items())
    return rf"{named}|(?P<places>{_PLACES})"


@cache
def _plain() -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", _word())


@cache
def _said() -> re.Pattern[str]:
    """Match what says along which axes something goes: "over time", "channel dim", "沿通道维"."""
    any_axis = rf"(?:{_plain()}|{_LETTER})"
    one = rf"(?:(?:all )?the |all |its )?{any_axis}(?![a-z0-9_])(?:[ -]{_AXIS})?"
    listed = rf"{one}(?: ?(?:,|and|&|, and|和) ?{one})*"
    return re.compile(
        rf"(?<![a-z0-9_])(?:over|along|across) (?P<prep>{listed})(?![a-z0-9_]| ?=| ?\d+k?(?![\dk]* ?[x,]))"
        rf"|(?<![a-z0-9_])(?:(?:over|along|across|on|in|of) )?(?:the )?"
        rf"(?P<noun>{any_axis}(?: and {any_axis})?)[ -]{_AXIS}(?![a-z0-9_]| ?=| ?\d)"
        rf"|(?<![a-z0-9_]){_AXIS} ?=? ?(?P<letter>{_LETTER})(?![a-z0-9_]| ?=)"
        rf"|(?:沿着?|对|在|按) ?(?P<zh>{any_axis}(?: ?[和、] ?{any_axis})*) ?"
        rf"(?:[两二2]?个?维度?|轴|方向|上|个?维)+"
        rf"|(?:沿着?|对|在|按) ?(?P<zh_places>{_PLACES}) ?(?=求|做|取|计?算|平均|归|\x00)"
        rf"|沿着? ?(?P<zh_plain>{_plain()})(?![a-z0-9_])"
    )


@cache
def _each() -> re.Pattern[str]:
    return re.compile(rf"{_word()}|(?<![a-z])(?P<said>{_LETTER})(?![a-z0-9_])")
