"""Write out what is told by letters and signatures: "NCHW = 8,64,7,7", "matmul(a: f16[8, 4], ...)"; sizes in the place
of their letters, "A is MxK, B is [K, N], M=1024 N=512 K=2048"; changes of layout, "NCHW -> NHWC", as permutations.

A letter is a size where its number is told apart and a shape is spelt with it. Letters that no shape has stay as they
are: "k=5" may be an attribute. Where a letter has two numbers, nothing is written.

Two layouts of the same letters, of which each stands for an axis, say where each axis goes. Where the text names a
permutation of its own, they only say it again: they are left out if they agree, and stay, to be asked about, if not.
"""

import re

from akgen.knowledge.operators import find_operators

_SHAPE = r"[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]"
_ARGUMENT = r"\s*([A-Za-z]\w*) ?: ?([a-z]+\d+) ?(\[ ?\d+(?: ?, ?\d+)* ?\])\s*"
_SIGNATURE = re.compile(
    rf"(?P<name>[A-Za-z]\w*)\((?P<given>{_ARGUMENT}(?:,{_ARGUMENT})*)\)"
    r"(?:\s*(?:->|→) ?(?P<type>[a-z]+\d+)? ?(?P<shape>\[ ?\d+(?: ?, ?\d+)* ?\]))?"
)
_SIZED_LAYOUT = re.compile(
    r"(?<![A-Za-z])(?P<axes>[NCHWDL]{3,5}) ?[=:：] ?(?P<sizes>\d+(?: ?[,x×*] ?\d+){2,4})(?![\d.])"
)
_DIMS = re.compile(
    r"(?:\A|(?<=[,;.(:，] )|(?<=tensor )|(?<=with ))dim(?:ension)?s (?:of |are |is |= ?)?(?=\d+ ?[x×*] ?\d)",
    re.I,
)
_VENDOR = re.compile(r"(?<![A-Za-z0-9_])(?:aclnn|Aclnn)(?P<name>[A-Z]\w+)")
_CUSTOM = re.compile(r"(?<![A-Za-z0-9_])(?P<name>[A-Z][A-Za-z0-9]*?)_?Custom(?![A-Za-z0-9_])")
_OTHER = re.compile(
    rf"(?:一个|(?<![a-z])one(?: is| of)?) ?(?:是)?(?P<one>{_SHAPE})(?:[，,;；]| and)+ ?(?:另(?:外)?"
    rf"一个(?:是)?|the other"
    rf"(?: one)?(?: is| of)?) ?(?P<other>{_SHAPE})",
    re.I,
)
_BIAS = re.compile(r"(?<![A-Za-z_])bias (?P<size>\d{2,})(?= ?(?:[,，.;；]|\Z|and))", re.I)
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}
_LARGE = {"thousand": 1000, "million": 10**6}
_MANY = re.compile(
    r"(?<![A-Za-z])(?P<half>half )?(?P<count>a|one|two|three|four|five|six|eight|ten) (?P<unit>thousand|million)"
    r"(?= (?:elements?|values?|numbers?|floats?|entries)(?![a-z]))",
    re.I,
)
_ROLE = (
    r"(?P<{0}>(?<![A-Za-z_]){1}(?: ?size| ?len(?:gth)?| ?dim)? ?(?:是|为|=|:|is|of)? ?(?P<{0}n>\d+"
    r")(?![\d.]| ?[x×*,] ?\d))"
)
_ROLES = tuple(
    re.compile(_ROLE.format(name, said), re.I)
    for name, said in (("b", "batch"), ("s", "seq(?:uence)?"), ("h", "hidden"))
)


def unabbreviated(text: str) -> str:
    """Return a text with its shorthand in the notation that the readers know."""
    text = _SIGNATURE.sub(_signature, text)
    text = _SIZED_LAYOUT.sub(_layout, text)
    text = _DIMS.sub("shape ", text)
    text = _VENDOR.sub(_operator, text)
    text = _CUSTOM.sub(_operator, text)
    text = _OTHER.sub(
        lambda m: f"{m['one']} 和 {m['other']}" if m[0][0] == "一" else f"{m['one']} and {m['other']}", text
    )
    text = _BIAS.sub(lambda m: f"bias [{m['size']}]", text)
    text = _MANY.sub(_count, text)
    return _roles(text)


def _signature(match: re.Match[str]) -> str:
    """Write an operator's signature as its name, its tensors and its result."""
    if not find_operators(match["name"].lower()):
        return match[0]
    given = re.findall(_ARGUMENT, match["given"])
    types = {dtype for _, dtype, _ in given}
    tensors = ", ".join(f"{name} {shape} {dtype}" for name, dtype, shape in given)
    result = f", output {match['shape']}" if match["shape"] else ""
    cast = f", output {match['type']}" if match["type"] and types != {match["type"]} else ""
    return f"{match['name']}, {tensors}{result}{cast}"


def _layout(match: re.Match[str]) -> str:
    sizes = re.findall(r"\d+", match["sizes"])
    if len(sizes) != len(match["axes"]):
        return match[0]
    named = "" if match["axes"].startswith("NC") else f" {match['axes']}"
    return f"[{', '.join(sizes)}]{named}"


def _operator(match: re.Match[str]) -> str:
    """Write a name of the vendor's interface, or of a tutorial, as the operator alone, where it is one."""
    named = find_operators(match["name"].lower())
    whole = len(named) == 1 and (named[0].begin, named[0].end) == (0, len(match["name"]))
    return match["name"] if whole else match[0]


def _count(match: re.Match[str]) -> str:
    count = _COUNTS[match["count"].lower()] * _LARGE[match["unit"].lower()]
    return str(count // 2 if match["half"] else count)


def _roles(text: str) -> str:
    """Write "hidden 1024, batch 4, seq 512" in the order in which tensors have these axes."""
    found = [list(pattern.finditer(text)) for pattern in _ROLES]
    if any(len(each) != 1 for each in found) or re.search(rf"{_SHAPE}|\d ?[x×*] ?\d", text):
        return text
    ordered = sorted((each[0] for each in found), key=lambda m: m.start())
    if [each[0] for each in found] == ordered:
        return text
    shape = f"[{', '.join(_size(each[0]) for each in found)}]"
    for match in reversed(ordered[1:]):
        text = text[: match.start()] + text[match.end() :]
    return text[: ordered[0].start()] + shape + text[ordered[0].end() :]


def _size(match: re.Match[str]) -> str:
    return str(re.findall(r"\d+", match[0])[-1])


# Sizes in the place of their letters

_TOLD_LETTER = re.compile(
    r"(?<![\w.\[(])(?P<letter>[A-Za-z])\s?[=＝:：]\s?(?P<size>\d{1,7}k?)(?!\w|\.\d|\s?[x×*]\s?\d)", re.ASCII
)
_L = r"[A-Za-z](?![\w'])"
_ONE = rf"(?:{_L}|\d{{1,7}}(?!\w))"
_LISTED_LETTERS = re.compile(
    rf"[\[(（]\s?(?P<letters>{_ONE}(?:\s?[,，]\s?{_ONE})*)\s?[,，]?\s?[\])）]", re.ASCII
)
_CROSSED_LETTERS = re.compile(
    r"(?<![\w.])(?P<letters>[A-Z](?:\s?[x×*]\s?(?:[A-Z]|\d{1,7})){1,4})(?![\w.(\[])", re.ASCII
)
_BETWEEN_SIZES = re.compile(
    r"(?:\s|[,，、;；]|(?<![a-z])(?:and|with|where|for|here)(?![a-z])|其中|且|和)*", re.I
)
_IDLE = re.compile(  # what is left of "..., where M=4, N=8,"
    r"(?:\s*(?:[,，、;；]|(?<![a-z])(?:where|with|here|for)(?![a-z])|其中))+\s*(?=[,，.。;；]|\Z)", re.I
)
_LEAST = 2  # letters that are told


def with_sizes(text: str) -> str | None:
    """Return a text with its shapes in numbers, without what told them; None where no shape is spelt in letters."""
    told: dict[str, str] = {}
    for match in _TOLD_LETTER.finditer(text):
        if told.setdefault(match["letter"], match["size"]) != match["size"]:
            return None
    used: set[str] = set()

    def written(match: re.Match[str]) -> str:
        letters = re.findall(r"[A-Za-z]|\d+", match["letters"].replace("×", "*").replace("x", "*"))
        known = [told.get(letter, letter) for letter in letters]
        if len(told) < _LEAST or not all(k[0].isdigit() for k in known):
            return match[0]
        used.update(letter for letter in letters if letter in told)
        return f"[{', '.join(known)}]"

    sized = _CROSSED_LETTERS.sub(written, _LISTED_LETTERS.sub(written, text))
    return _without_told(sized, used) if used else None


def _without_told(text: str, used: set[str]) -> str:
    """Leave out the sizes of letters that stand in shapes, with what joins and leads them."""
    while (match := next((m for m in _TOLD_LETTER.finditer(text) if m["letter"] in used), None)) is not None:
        behind = _BETWEEN_SIZES.match(text, match.end())
        more = _TOLD_LETTER.match(text, behind.end()) if behind is not None else None
        end = (
            behind.end()
            if behind is not None and more is not None and more["letter"] in used
            else match.end()
        )
        text = f"{text[: match.start()]}{text[end:]}"
    return _IDLE.sub("", text)


# Changes of layout as permutations

_LETTERS = "BNTSLDHWCKQMEF"
_PLAIN_LAYOUT = rf"(?<![A-Za-z0-9_])(?:[{_LETTERS}]{{3,5}}|[{_LETTERS.lower()}]{{3,5}})(?![A-Za-z0-9_])"
_LISTED_LAYOUT = rf"[\[(] ?[{_LETTERS}](?: ?[,x] ?[{_LETTERS}]){{1,4}} ?[\])]"
_LAYOUT = rf"(?:{_PLAIN_LAYOUT}|{_LISTED_LAYOUT})"
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
_CHANGED = re.compile(
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
    for pattern in (_APART, _CHANGED, _CHANNELS):
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
