"""Write out the shorthand of shapes, signatures and names: "NCHW = 8,64,7,7", "matmul(a: f16[8, 4], ...)"."""

import re

from akgen.knowledge.operators import find_operators

_SHAPE = r"[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]"
_ARGUMENT = r"\s*([A-Za-z]\w*) ?: ?([a-z]+\d+) ?(\[ ?\d+(?: ?, ?\d+)* ?\])\s*"
_SIGNATURE = re.compile(
    rf"(?P<name>[A-Za-z]\w*)\((?P<given>{_ARGUMENT}(?:,{_ARGUMENT})*)\)"
    r"(?:\s*(?:->|→) ?(?P<type>[a-z]+\d+)? ?(?P<shape>\[ ?\d+(?: ?, ?\d+)* ?\]))?"
)
_LAYOUT = re.compile(
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
    text = _LAYOUT.sub(_layout, text)
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
