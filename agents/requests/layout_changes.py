"""Write a change of layout as the permutation that it is: "NCHW -> NHWC", "(BSHD in, BHSD out)".

Two layouts of the same letters, of which each stands for an axis, say where each axis goes. Where the text names a
permutation of its own, they only say it again: they are left out if they agree, and stay, to be asked about, if not.
"""

import re

_LETTERS = "BNTSLDHWCKQMEF"
_PLAIN = rf"(?<![A-Za-z0-9_])(?:[{_LETTERS}]{{3,5}}|[{_LETTERS.lower()}]{{3,5}})(?![A-Za-z0-9_])"
_LISTED = rf"[\[(] ?[{_LETTERS}](?: ?[,x] ?[{_LETTERS}]){{1,4}} ?[\])]"
_LAYOUT = rf"(?:{_PLAIN}|{_LISTED})"
_NOUN = (
    r"(?:(?:(?:the|an?|my|this|that|its|our|whole) )?(?:memory |data |tensor )?(?:layout|format|images?|pictu"
    r"res?|batch|tensor"
    r"|x|input|data|activations?|features?|feature maps?|it|axes|dims|dimensions)(?: batch| tensor| layout| d"
    r"ata)?(?: of)? )*"
)
_VERB = (
    r"(?:(?<![A-Za-z])(?:convert|change|transpose|permute|rearrange|reorder|swap|turn|transform|move|bring|go|relayout"
    rf"|(?:(?:memory |data |tensor )?layout|format) (?:change|conversion|transform(?:ation)?|switch))(?:s|ing"
    rf")? {_NOUN}(?:layout )?(?:from |of )?"
    r"|(?:(?:数据|内存)?(?:布局|格式|排布)(?:转换|变换|从)?[:：,，]? ?|转置 ?|把 ?|将 ?|由 ?|从 ?))?"
)
_OBJECT = r"(?: ?(?:格式|布局|排布)?的?(?:图片|图像|特征图|图|张量|输入|数据|输出|布局|格式)?)"
_BETWEEN = re.compile(
    rf"{_VERB}(?P<given>{_LAYOUT}){_OBJECT}(?: tensor| images?| layout| input)? ?"
    r"(?:->|=>|→|(?i:into|to|in,?)|(?:转置|置换|转换|变换|转|换|变|改|调|排)(?:[成为到]|置为|置成)?|到|为|2) ?"
    rf"(?P<wanted>{_LAYOUT})(?P<behind> (?i:out(?:put)?|layout|format|conversion|transpose|permute|transposit"
    rf"ion)(?![A-Za-z])"
    r"| ?(?:输出|的?(?:转置|转换|布局转换|格式转换|排布|格式|布局)))?"
)
_APART = re.compile(  # "把 NHWC 的图 (2,32,32,3) uint8 转成 NCHW"
    rf"(?:把|将|由|从)? ?(?P<given>{_LAYOUT}) ?的?(?:图片|图像|特征图|图|张量|输入|数据)"
    r"(?P<between>[^。;；\n\u4e00-\u9fff]{1,40}?)"
    rf"(?:，|,)? ?(?:转置|置换|转换|变换|转|换|变|改)(?:[成为到]|置为|置成) ?(?P<wanted>{_LAYOUT})(?P<behind>)"
)
_CHANNELS = re.compile(
    rf"{_VERB}(?i:channels?[- _](?P<given>first|last)(?: layout)? ?(?:->|=>|→|into|to) ?channels?[- _](?P<wan"
    rf"ted>first|last)"
    r"(?: layout| format)?)"
)
_FOUR = 4
_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_OWN = re.compile(
    r"(?:permute|transpose|perm(?:utation)?|置换|转置|重排)\w*(?:[ :=]|dims?|order|axes|the|x|by|with|with)*"
    r"(?P<dims>[\[(] ?-?\d(?: ?, ?-?\d)+ ?[\])])",
    re.I,
)
_SIZES = re.compile(
    r"[\[(] ?\d+(?:k)?(?: ?, ?\d+k?){2,4} ?,? ?[\])]|(?<![\w.])\d+k?(?: ?[x×*] ?\d+k?){2,4}(?![\w.])"
)


def with_permutations(text: str) -> str:
    """Return a text with its changes of layout as permutations; code as it is."""
    if _CODE.search(text) or "einsum" in text:
        return text
    own = _OWN.search(text)
    rank = _rank(text)
    for pattern in (_APART, _BETWEEN, _CHANNELS):
        for match in reversed([*pattern.finditer(text)]):
            dims = _dims(match["given"], match["wanted"], rank)
            if dims is None or (rank is not None and len(dims) != rank):
                continue
            said = f"permute ({', '.join(map(str, dims))})"
            between = match.groupdict().get("between") or ""
            if own is None:
                text = f"{text[: match.start()]} {said}{between} {text[match.end() :].lstrip()}"
            elif tuple(int(n) % len(dims) for n in re.findall(r"-?\d", own["dims"])) == dims:
                text = re.sub(r"[(（] ?\Z", "", text[: match.start()]) + re.sub(
                    r"\A ?[)）]", "", text[match.end() :]
                )
    return text


def _dims(given: str, wanted: str, rank: int | None) -> tuple[int, ...] | None:
    """Return where each axis comes from; None of layouts of other letters, or which are the same."""
    if given in ("first", "last"):
        count = rank or _FOUR
        moved = (0, *range(2, count), 1) if given == "first" else (0, count - 1, *range(1, count - 1))
        return moved if given != wanted and count > 2 else None
    before, after = (re.findall(rf"[{_LETTERS}]", name.upper()) for name in (given, wanted))
    if before == after or sorted(before) != sorted(after) or len({*before}) != len(before):
        return None
    return tuple(before.index(letter) for letter in after)


def _rank(text: str) -> int | None:
    """Return how many axes the only tensor has; None where shapes differ or nobody says."""
    ranks = {len(re.findall(r"\d+", shape)) for shape in _SIZES.findall(text)}
    return ranks.pop() if len(ranks) == 1 else None
