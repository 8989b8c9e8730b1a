"""Read attributes in words: "slope 0.2", "kernel 3x3", "8 groups", "without bias", "降序".

PyTorch names them; `words.json` holds their other names, and phrases that stand for a name and its value.
"""

import re
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.marks import MarkedText, whole, words
from akgen.knowledge.operators import Kind, OperatorEntry, Parameter, Value

_NUMBER = r"(?:(?:minus |负)?[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?:/\d+)?k?|-?inf)"
_INT = r"[-+]?\d+k?"
_END = r"(?![a-z0-9_]|\.\d| ?[x\*] ?\d)"
_INTS = rf"(?:[\[(] *{_INT}(?: *, *{_INT})* *,?[\])]|\d+(?: ?[x\*] ?\d+){{0,2}})"
_JOIN = (
    r"(?: ?(?:of|is|=|:|equal to|equals|set to|to be|should be|shall be|must be|changed to|取值为?|取|为|是|"
    r"设为|设成|等于|改为|改成|换成|变为|变成|调为|调成|用) ?| |['\"]: ?)?"
)
_VALUES: dict[str, str] = {
    "int": rf"{_INT}{_END}", "float": rf"{_NUMBER}{_END}", "ints": rf"{_INTS}{_END}", "floats": rf"{_NUMBER}{_END}",
    "bool": r"(?:true|false|yes|no|on|off)(?![a-z])",
}  # fmt: skip
# The axis has words of its own (`sizes.take_axes`); what a module takes from its input's shape is not said.
AXES = ("dim", "dims", "dim0", "dim1", "start_dim", "axis")
FROM_SHAPE = (
    "in_channels", "in_features", "num_features", "num_channels", "normalized_shape", "input_size", "embed_dim",
)  # fmt: skip


_DENIED = re.compile(
    r"(?:(?<![a-z])(?:no|not|without|don'?t use|do not use|disable)(?: the| an?| any)?|不要|不用|不使用|无|没有)\s*\Z"
)


_COUNTED = re.compile(r"(?<![a-z0-9_.])\d+k? \Z")


class AttributeValues(NamedTuple):
    """An attribute with its value, by every name it may have."""

    values: dict[str, Value]


def parameters_of(entry: OperatorEntry) -> dict[str, Parameter]:
    """Return what words may set of an operator, by name."""
    found: dict[str, Parameter] = {}
    for signature in entry.signatures():
        for parameter in signature.parameters:
            if not parameter.is_tensor:
                found.setdefault(parameter.name, parameter)
    if entry.expression is not None:
        for name, value in entry.attributes.items():
            kind: Kind = "int" if isinstance(value, int) else "float"
            found[name] = Parameter(name=name, kind=kind, default=repr(value))
    return found


def take_flags(text: MarkedText) -> None:
    """Mark phrases that stand for an attribute and its value at once."""
    for pattern, values in _flags():
        for match in text.matches(pattern):
            denied = _DENIED.search(text.text[: match.start()])
            begin = denied.start() if denied else match.start()
            said: dict[str, Value] = dict(values)
            if denied:
                said = {k: not v if isinstance(v, bool) else None for k, v in values.items()}
            text.mark(
                begin,
                match.end(),
                "attribute" if None not in said.values() else "denied",
                AttributeValues(said),
            )


_ARROW = re.compile(
    r"(?:from )?(?<![a-z0-9_.])(\d+) ?(?:to|->|=>|→|到) ?(\d+)(?![a-z0-9_.])(?: (?:channels|features|units))?(?: 通道)?"
)


def take_arrow(text: MarkedText) -> None:
    """Mark "64 to 128 channels" as what goes in and what comes out."""
    for match in text.matches(_ARROW):
        middle = match.start(2)
        text.mark(
            match.start(),
            middle,
            "attribute",
            AttributeValues({n: int(match[1]) for n in ("in_channels", "in_features")}),
        )
        text.mark(
            middle,
            match.end(),
            "attribute",
            AttributeValues({n: int(match[2]) for n in ("out_channels", "out_features")}),
        )
        return


def take_attributes(text: MarkedText, entries: list[OperatorEntry]) -> None:
    """Mark names of attributes with their values, those of the given operators; first name before value, then after."""
    known: dict[str, dict[str, Parameter]] = {}
    for entry in entries:
        for name, parameter in parameters_of(entry).items():
            if name in AXES:
                continue
            own = set() if name in ("shape", "size") else {name, name.replace("_", " ")}
            for alias in {*own, *words()["attributes"].get(name, ())}:
                known.setdefault(alias, {})[name] = parameter
    for alias in sorted(known, key=len, reverse=True):
        _take(text, alias, known[alias], before=False)
    for alias in sorted(known, key=len, reverse=True):
        _take(text, alias, known[alias], before=True)


def _take(text: MarkedText, alias: str, parameters: dict[str, Parameter], *, before: bool) -> None:
    for kind in dict.fromkeys(p.kind for p in parameters.values()):
        named = {name: p for name, p in parameters.items() if p.kind == kind}
        pattern = _before(alias, kind) if before else _after(alias, kind, next(iter(named)))
        if pattern is None:
            continue
        for match in text.matches(pattern):
            if not before and _COUNTED.search(text.rest[: match.start()]) and " of " in match[0]:
                continue  # "10 classes of 256 labels"
            value = read_value(match["value"], kind)
            text.mark(match.start(), match.end(), "attribute", AttributeValues(dict.fromkeys(named, value)))


def read_value(text: str, kind: Kind) -> Value:
    """Read a value as words write it."""
    plain = text.strip().strip("'\"").replace("minus ", "-").replace("负", "-")
    if kind == "str":
        return plain
    if kind == "bool":
        return plain in ("true", "yes", "on")
    if kind == "ints":
        numbers = tuple(_whole(n) for n in re.findall(_INT, plain))
        return numbers[0] if len(numbers) == 1 and plain[0] not in "[(" else numbers
    if "/" in plain:
        over, _, under = plain.partition("/")
        return float(over) / float(under)
    if kind == "int" or re.fullmatch(_INT, plain):
        return _whole(plain)
    return float(plain)


def _whole(text: str) -> int:
    return int(text[:-1]) * 1024 if text.endswith("k") else int(text)


@cache
def _after(alias: str, kind: Kind, name: str) -> re.Pattern[str] | None:
    """Match the name and then the value."""
    if kind == "str":
        choices = words()["choices"].get(name)
        if choices is None:
            return None
        value = rf"['\"]?(?P<value>{'|'.join(choices)})['\"]?(?![a-z])"
        return re.compile(rf"{_name(alias)}{_JOIN}{value}")
    number = _VALUES.get(kind)
    unit = "" if alias.isascii() else "(?: ?个?(?:通道|特征|维度?|组))?"
    product = r"(?<![\dk] )" if alias in ("by", "to") else ""
    return re.compile(rf"{product}{_name(alias)}{_JOIN}(?P<value>{number}){unit}") if number else None


@cache
def _before(alias: str, kind: Kind) -> re.Pattern[str] | None:
    """Match the value and then the name."""
    if alias in ("in", "by", "to", "with", "k", "n", "p", "value", "at least", "at most") and kind != "ints":
        return (
            re.compile(rf"(?<![a-z0-9_.])(?P<value>{_INT}) in(?![a-z])(?! (?:fp|bf|int|float|half))")
            if alias == "in"
            else None
        )
    if kind == "str":
        return None
    wanted = {"int": _INT, "ints": _INTS, "float": _NUMBER}.get(kind)
    if wanted is None:
        return None
    return re.compile(rf"(?<![a-z0-9_.\-])(?<!\d x )(?P<value>{wanted})[ \-]?(?:个|路)?{_name(alias)}")


def _name(alias: str) -> str:
    spelt = r"[\s_\-]?".join(re.escape(part) for part in re.split(r"[ _]", alias))
    return rf"(?<![a-z0-9_]){spelt}(?![a-z0-9])" if alias.isascii() else spelt


@cache
def _flags() -> tuple[tuple[re.Pattern[str], dict[str, Value]], ...]:
    return tuple((whole(pattern), values) for pattern, values in words()["flags"])
