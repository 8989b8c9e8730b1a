"""Write short plain phrases in the words that all readers know: "fp32[8, 4]", "2048 of them", "x.std over dim 1".

What is written has the meaning of what was said; phrases that mean it only beside others, such as "broadcast on the
last axis" of a vector, are looked at with the shapes of the text.
"""

import json
import math
import re
from functools import cache
from importlib.resources import files
from typing import Any

from akgen.agents.requests.marks import words
from akgen.agents.requests.worded_shapes import with_worded_shapes
from akgen.knowledge.operators import find_operators, operator_named

_VALUE_AGAIN = re.compile(
    r"(?P<n>\d+(?:\.\d+)?) ?[(（](?:也就是|就是|即|=|i\.?e\.?|that is|aka|so)?[\s,]*"
    r"(?:(?:sqrt\(|√ ?\(?|根号 ?)(?P<root>\d+)\)?|(?P<base>\d+) ?(?:\^|\*\*) ?(?P<power>\d{1,2}))[)）]",
    re.I,
)
_N = r"\d{1,12}"  # more digits are no size
_METHOD = re.compile(r"(?<![\w.])(?:x|input|inp|tensor|t|a)\.(?P<name>[a-z][a-z_0-9]*)(?![\w(.]| ?\()")
_SIZED = rf"(?:[\[(] ?{_N}(?: ?, ?{_N})* ?,? ?[\])]|(?<![\w.]){_N}(?: ?[x×*] ?{_N})+(?![\w.]))"
_SHAPE = re.compile(_SIZED)
_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_PAIR = 2
_CODED_TYPE = re.compile(  # "dtype=torch.float16"
    r"(?<![\w.])(?:dtype ?[=:] ?(?:(?:torch|np|numpy|jnp|tf)\.)?|(?:torch|np|numpy|jnp|tf)\.)"
    r"(?P<type>(?:b?float|u?int)(?:8|16|32|64)|half|bool|double|bf16|fp16|fp32)(?!\.?\w|\()",
    re.I,
)


_DESCRIBED = re.compile(
    r"(?<![\w.])(?P<said>(?:[a-z][a-z'-]* ){1,6})"
    r"\((?P<path>(?:(?:torch|nn|F|functional)\.)*)(?P<name>[a-z][a-z_0-9]*)\)",
    re.I,
)
_BEGINS = re.compile(
    r"(?<![a-z])(?:an?|the|my|need|want|write|make|please|me|do|have|implement|create|run|apply|for) ", re.I
)
_JOINS = re.compile(
    r"(?<![a-z])(?:then|and|of|plus|after|followed|with|over|along|on|in|by|to|before|no|not|without|it|is)(?![a-z])",
    re.I,
)
_FAMILY = re.compile(
    r"(?<![a-z])(?:(?:both|all|each|every|two|three)(?: of)?(?: the)? "
    r"|(?:两个|三个|每个|所有的?|各个?) ?)(?P<stem>[A-Za-z])(?:s|'s)?"
    r"(?=(?: ?(?:matrices|matrix|weights?|are|is|have|has|shape|of|all|both|each|都|均|为|是|形状|[:=]))* ?[\[(]?\d)",
)


def in_plain_words(text: str) -> str:
    """Return a text with its short phrases written out."""
    text = _METHOD.sub(_called, text)
    for pattern, written in _rules("always"):
        text = pattern.sub(_indices if written == "INDICES" else written, text)
    return _aligned(_ranked(text))


def everywhere_plain(text: str) -> str:
    """Return a text with what every reader, also that of equations, knows by other words; code as it is."""
    if _CODE.search(text):
        return text
    for pattern, written in _rules("everywhere"):
        text = pattern.sub(written, text)
    return _FAMILY.sub(lambda m: _members(m, text), text)


def loosely_plain(text: str, before: str = "") -> str:
    """Return a text that was not understood in other words of the same meaning; code as it is.

    These rules hold only beside certain words, of the text or of what was said `before`; they are tried where nothing
    else is read.
    """
    if _CODE.search(text):
        return text
    besides = _besides("loose")
    for (pattern, written), beside in zip(_rules("loose"), besides, strict=True):
        if beside is None or beside.search(f"{before} {text}"):
            text = pattern.sub(written, text)
    return _VALUE_AGAIN.sub(_without_value, text)


def _without_value(match: re.Match[str]) -> str:
    """Leave out in what way a number was computed, "16 (i.e. sqrt(256))", where it was."""
    root = match["root"] is not None
    other = math.sqrt(float(match["root"])) if root else float(match["base"]) ** float(match["power"])
    return match["n"] if math.isclose(other, float(match["n"]), rel_tol=1e-3) else match[0]


def _members(match: re.Match[str], text: str) -> str:
    """Write "both W are 64x32" of "x@Wg" and "x@Wu" with the names of both."""
    named = dict.fromkeys(re.findall(rf"(?<![\w.]){match['stem']}(?:[a-z]\w?|_?\d|_\w+)(?!\w)", text))
    alone = len(re.findall(rf"(?<![\w.]){match['stem']}(?!\w)", text)) == 1
    return ", ".join(named) if alone and len(named) >= _PAIR else match[0]


def _without_noun(match: re.Match[str]) -> str:
    """Leave out a noun before the name of a tensor, unless it may name an operator, an axis or a role."""
    return match[0] if _pattern("no noun").search(match["noun"]) or find_operators(match["noun"]) else ""


def _alike(text: str) -> str:
    """Write the shape of another tensor in the place of "跟 x 一样大", where the text tells it."""

    def written(match: re.Match[str]) -> str:
        name, other = match["name"] or match["name_it"], match["other"] or ""
        told = text[: match.start()]
        if other and (of := _shape_of(other, text)) is not None:
            return f"{name} {of}"
        shapes = re.findall(_SIZED, told)
        tensor = name.lower() in words()["tensors"] or not find_operators(name)
        if (other.isascii() and other) or not shapes or not tensor:
            return match[0]
        return f"{name} {shapes[-1]}"

    return _pattern("as another").sub(written, text)


def _shape_of(name: str, text: str) -> str | None:
    """Return the shape that stands behind a tensor's name."""
    link = r"(?:\s|[:：=]|是|为|的|形状|大小|张量|也|shape|(?<![a-z])(?:is|of|has|with)(?![a-z]))*"
    called = _data()["called"].get(name.lower(), rf"(?<![\w.]){re.escape(name)}(?!\w)")
    found = re.search(rf"(?:{called}){link}(?P<shape>{_SIZED})", text, re.A | re.I)
    return None if found is None else found["shape"]


def _in_sections(match: re.Match[str]) -> str:
    """Write "切成 512、128、128 三份" as the sizes of the parts."""
    return f" split_size=[{', '.join(re.findall(_N, match['sizes']))}]"


def request_plain(text: str) -> str:
    """Return a text that begins a request with what a request says more loosely than a follow-up; code as it is."""
    if _CODE.search(text):
        return text
    text = _CODED_TYPE.sub(_type, text)
    text = _DESCRIBED.sub(_named, text)
    for pattern, written, beside in _conditional():
        if beside is None or beside.search(text):
            text = pattern.sub(written, text)
    text = _pattern("sections").sub(_in_sections, _pattern("noun").sub(_without_noun, _alike(text)))
    text = _ranked(with_worded_shapes(text))
    for pattern, written in _rules("named"):
        text = pattern.sub(written, text)
    return text


def _type(match: re.Match[str]) -> str:
    """Write "dtype=torch.float16" as the type alone, but in the brackets of a call."""
    before = match.string[: match.start()]
    opened = before.rfind("(") if before.count("(") > before.count(")") else -1
    called = opened > 0 and (before[opened - 1].isalnum() or before[opened - 1] == "_")
    return match[0] if called else match["type"]


def _named(match: re.Match[str]) -> str:
    """Write "an attention mask fill (masked_fill)" as the name in brackets, which PyTorch knows by that name alone."""
    said = _BEGINS.split(match["said"])[-1]
    sure = match["path"] or "_" in match["name"]
    entry = operator_named(match["name"])
    if not sure or entry is None or not said.strip() or _JOINS.search(said):
        return match[0]
    if {n.operator for n in find_operators(said.lower())} == {entry.name}:
        return match[0]  # said twice
    return f"{match['said'].removesuffix(said)}{match['name']} "


def _called(match: re.Match[str]) -> str:
    """Write "x.std over the last dim" as what is called."""
    named = find_operators(match["name"])
    whole = len(named) == 1 and (named[0].begin, named[0].end) == (0, len(match["name"]))
    return match["name"] if whole else match[0]


def _indices(match: re.Match[str]) -> str:
    """Write "returns int64 idx" in full."""
    said = match[0]
    at = match.end("at") - match.start()
    return f"{said[:at]}indices"


def _shapes(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, re.findall(r"\d+", m[0]))) for m in _SHAPE.finditer(text)]


def _ranked(text: str) -> str:
    """Write "b is just 1024" as a vector's shape, where another tensor ends with that size."""
    shapes = [s for s in _shapes(text) if len(s) >= _PAIR]

    def vector(match: re.Match[str]) -> str:
        if not shapes or int(match["size"]) not in {s[-1] for s in shapes}:
            return match[0]
        return f"{match['name']} [{match['size']}]"

    return _pattern("ranks").sub(vector, text)


def _aligned(text: str) -> str:
    """Leave out that a vector is broadcast on the last axis: so it is, but where an axis before has that size, too."""
    shapes = _shapes(text)
    vectors = {s[0] for s in shapes if len(s) == 1}
    others = [s for s in shapes if len(s) >= _PAIR]

    def left(match: re.Match[str]) -> str:
        said = match.groupdict()
        along = (said.get("how") or "").strip() in ("along", "over", "across") or said.get("how_zh")
        fits = bool(vectors) and all(s[-1] in vectors for s in others)
        square = any(s[-2] == s[-1] for s in others)
        return " " if fits and not (along and square) else match[0]

    return _pattern("aligned").sub(left, text) if vectors and others else text


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        files("akgen.agents.requests").joinpath("plain_words.json").read_text("utf-8")
    )
    return found


@cache
def _conditional() -> tuple[tuple[re.Pattern[str], str, re.Pattern[str] | None], ...]:
    """Return the rules of requests; a rule with a third pattern holds for texts that have it."""
    return tuple((p, w, b) for (p, w), b in zip(_rules("requests"), _besides("requests"), strict=True))


@cache
def _besides(kind: str) -> tuple[re.Pattern[str] | None, ...]:
    return tuple(re.compile(rule[2], re.I) if any(rule[2:]) else None for rule in _data()[kind])


@cache
def _rules(kind: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    types = "|".join(
        sorted({re.escape(w) for listed in words()["dtypes"].values() for w in listed}, key=len, reverse=True)
    )
    return tuple(
        (re.compile(pattern.replace("TYPE", f"(?:{types})").replace("SHAPE", _SHAPE.pattern), re.I), written)
        for pattern, written, *_ in _data()[kind]
    )


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return the alternatives of one kind; their groups have names of their own."""
    pattern = "|".join(_data()[name])
    for word, meant in (
        ("TENSOR", _data()["tensor"]),
        ("SAME", _data()["same"]),
        ("SIZED", _SIZED),
        ("COUNT", _N),
    ):
        pattern = pattern.replace(word, meant)
    return re.compile(pattern, re.I | re.A)
