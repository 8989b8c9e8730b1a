"""Read attributes in words: "slope 0.2", "kernel 3x3", "8 groups", "without bias", "降序".

PyTorch names them; `words.json` holds their other names, and phrases that stand for a name and its value.
"""

import re
from functools import cache
from typing import NamedTuple

from akgen.agents.requests import sizes
from akgen.agents.requests.marks import Mark, MarkedText, whole, words
from akgen.knowledge.operators import Kind, OperatorEntry, Parameter, Value, operator_named

_NUMBER = r"(?:(?:minus |负)?[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?:/\d+)?k?|-?inf)"
_INT = r"[-+]?\d+k?"
_END = r"(?![a-z0-9_]|\.\d| ?[x\*] ?\d)"
_INTS = rf"(?:[\[(] *{_INT}(?: *, *{_INT})* *,?[\])]|-?\d+(?: ?[x\*] ?\d+){{0,2}})"
_JOIN = (
    r"(?: ?(?:of|is|=|:|equal to|equals|set to|to be|should be|shall be|must be|changed to|取值为?|取|为|是|"
    r"也是|也为|也取|同样是|同样为|默认为|设为|设成|等于|(?:也|跟着|同时|相应地?)*(?:改为|改成|换成|变为|变成|调为|调成)|用)"
    r" ?(?:(?:the )?default(?:s| value)?(?: of| is)? ?|默认(?:值)?(?:的|为|是)? ?)?"
    r"| (?:default(?:s)? ?(?:to |of |is )?|默认(?:值)?(?:的|为|是)? ?)?"
    r"|['\"]: ?)?"
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

DIMS = r"(?:\[[\d, ]+\]|\([\d, ]+\)|\(\d+k?(?: ?[x*] ?\d+k?)+\)|\[\d+k?(?: ?[x*] ?\d+k?)+\]|\d+k?(?: ?[x*] ?\d+k?)+)"
_KERNEL = r"1?\d(?: ?x ?1?\d){1,2}"
_LIMIT = r"(-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?)"
_RANGE = re.compile(
    rf"(?: (?:x|it|them|everything|all (?:the )?(?:values|elements)|(?:each|every) (?:value|element)|values?"
    rf"|the (?:values?|input|tensor|results?|outputs?)|inputs?))?[\s,]*"
    rf"(?:to|into|in|within|between|from|到|在)?\s*(?:the range)?\s*[\[(]?\s*{_LIMIT}\s*(?:,|and|to|和|到|至|~)\s*"
    rf"{_LIMIT}\s*[\])]?(?:之间)?(?![a-z0-9_.]| ?[x*,] ?\d| by \d| ?elements)"
)
_ARGUMENT = re.compile(rf"\(\s*{_LIMIT}\s*\)")
_ARGUMENTS = re.compile(
    r"(?: (?:x|it|by|with|to|the (?:axes|dims|tensor)))* ?(?:[\[(] *(-?\d(?: *, *-?\d)*) *[\])]"
    r"|(\d(?:[ ,]+\d)+)(?![\dx]))"
)

_DENIED = re.compile(
    r"(?:(?<![a-z])(?:no|not|without|don'?t use|do not use|disable)(?: the| an?| any)?|不要|不用|不使用|无|没有)\s*\Z"
)


_SYMBOLIC = 3  # letters of an attribute's name beyond which its symbol may follow: "temperature T=0.7"
_LONG_ENOUGH = 4  # letters of a switch's name that is no other word's
_COUNTED = re.compile(r"(?<![a-z0-9_.])\d+k? \Z")


_SWITCHED = re.compile(r" ?[=:] ?(?:(?P<off>false)|true)(?![a-z])")


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
    for pattern, values in flags():
        for match in text.matches(pattern):
            denied = _DENIED.search(text.text[: match.start()])
            begin = denied.start() if denied else match.start()
            said: dict[str, Value] = dict(values)
            switched = _SWITCHED.match(text.rest, match.end())
            if denied or (switched is not None and switched["off"]):
                said = {k: not v if isinstance(v, bool) else None for k, v in values.items()}
            text.mark(
                begin,
                switched.end() if switched is not None else match.end(),
                "attribute" if None not in said.values() else "denied",
                AttributeValues(said),
            )


_ARROW = re.compile(
    r"(?:from )?(?<![a-z0-9_.])(\d+)(?: ?(?:channels|features|units|个?通道))? ?(?:to|->|=>|→|到) ?(\d+)(?![a-z0-9_.])"
    r"(?: ?(?:channels|features|units|个?通道))?"
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
                if "_" in name:
                    known.setdefault(name, {})[name] = parameter  # "start_dim=1", as PyTorch writes it
                continue
            own = set() if name in ("shape", "size") else {name, name.replace("_", " ")}
            for alias in {*own, *words()["attributes"].get(name, ())}:
                known.setdefault(alias, {})[name] = parameter
    for alias in sorted(known, key=len, reverse=True):
        _take(text, alias, known[alias], before=False)
    for alias in sorted(known, key=len, reverse=True):
        _take(text, alias, known[alias], before=True)
    for entry in entries:
        for name, parameter in parameters_of(entry).items():
            if parameter.kind == "bool" and parameter.default == "False" and len(name) >= _LONG_ENOUGH:
                _take_switch(text, name)


def _take_switch(text: MarkedText, name: str) -> None:
    """Mark the name of what is off by default, "with the full term", "not full", as its being on or off."""
    pattern = re.compile(
        rf"(?:(?P<no>(?:not?|without)(?: the| any)? )|with (?:the )?)?{_name(name)}"
        r"(?: (?:term|constant|option|flag|on))?(?! ?[=:])"
    )
    for match in text.matches(pattern):
        text.mark(*match.span(), "attribute", AttributeValues({name: match["no"] is None}))


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


def take_reduction(text: MarkedText, entries: list[OperatorEntry]) -> None:
    """Mark "mean" and "sum" beside a loss as its reduction."""
    losses = [e for e in entries if e.category == "loss"]
    told = any(m.kind == "operator" and not isinstance(m.value, str) for m in text.marks)
    if losses and not told and all(e.source is not None and "mean(" in e.source for e in losses):
        for pattern, value in _REDUCTIONS:
            if value == "mean" and not any("reduction" in parameters_of(e) for e in losses):
                text.take(pattern, "filler")  # it is one: "charbonnier loss, averaged"
    if not any("reduction" in parameters_of(e) for e in losses):
        return
    if any(m.kind == "attribute" and "reduction" in m.value.values for m in text.marks):
        return
    if re.search(
        r"(?:reduction|reduce|归约(?:方式)?)[ :='\"]*(?:用|为|is|of|as|by|到)?[ '\"]*"
        r"(?:mean|sum|none|batchmean|平均|求和)",
        text.rest,
    ):
        return
    if any("ignore_index" in parameters_of(e) for e in losses):
        for match in text.matches(re.compile(words()["mean of the kept"])):
            text.mark(match.start(), match.end(), "attribute", AttributeValues({"reduction": "mean"}))
            return
    for pattern, value in _REDUCTIONS:
        for match in text.matches(pattern):
            if (denied := _DENIED.search(text.text[: match.start()])) is not None:
                text.mark(denied.start(), match.end(), "filler")  # "sum, not mean"
                continue
            text.mark(match.start(), match.end(), "attribute", AttributeValues({"reduction": value}))
            return


_OF_ROWS = r"(?! ?(?:of|over|along|across|each|per|row|column|squared?|absolute|error|dim|axis|loss|-))"
_REDUCTIONS = (
    (
        re.compile(
            r"(?:最后)?(?:取|求|算|再)平均(?:值)?|(?:取|求)均值|对所有样本平均|平均归约|[,，、] ?平均(?![池绝方])"
        ),
        "mean",
    ),
    (
        re.compile(
            rf"(?<![a-z])(?:take (?:the )?|then )?(?:mean|averaged?)(?: reduction)?(?: over (?:the )?batch"
            rf"| over everything)?(?![a-z]){_OF_ROWS}"
        ),
        "mean",
    ),
    (re.compile(r"(?:最后)?(?:取|再)?求和|累加求和"), "sum"),
    (
        re.compile(
            rf"(?<![a-z])(?:take (?:the )?|then )?(?:sum|summed)(?: reduction)?(?: over (?:the )?batch"
            rf"| over everything)?(?![a-z]){_OF_ROWS}"
        ),
        "sum",
    ),
)


def take_kernel(text: MarkedText, candidates: list[Mark]) -> None:
    """Mark "3x3" beside a convolution's or pooling's name, or in a list with its shape, as its kernel."""
    if any(m.kind == "attribute" and "kernel_size" in m.value.values for m in text.marks):
        return
    for mark in candidates:
        entry = operator_named(mark.value) if isinstance(mark.value, str) else None
        if entry is None or "kernel_size" not in parameters_of(entry):
            continue
        before = re.search(rf"(?<![a-z0-9_.])({_KERNEL}) (?:[a-z]+ )?\Z", text.rest[: mark.begin])
        after = re.compile(rf"[ ,:]*({_KERNEL})(?! ?x|\d)").match(text.rest, mark.end)
        shapes = [m for m in text.marks if m.kind == "shape"] or re.findall(DIMS, text.rest)[1:]
        listed = re.search(rf"(?<![a-z0-9_.])({_KERNEL})(?! ?x|[a-z0-9_])", text.rest) if shapes else None
        found = before or after or listed
        if found is not None:
            value = tuple(int(n) for n in re.findall(r"\d+", found[1]))
            text.mark(found.start(1), found.end(1), "attribute", AttributeValues({"kernel_size": value}))
            return


def take_range(text: MarkedText, candidates: list[Mark]) -> None:
    """Mark "to [0, 6]" or "between -1 and 1" after an operator with two limits."""
    for mark in candidates:
        entry = operator_named(mark.value) if isinstance(mark.value, str) else None
        known = parameters_of(entry) if entry is not None else {}
        names = next(
            (n for n in (("min", "max"), ("min_val", "max_val")) if n[0] in known and n[1] in known), None
        )
        match = _RANGE.match(text.rest, mark.end) if names else None
        if names is not None and match is not None:
            values: dict[str, Value] = dict(zip(names, map(plain_number, match.groups()), strict=True))
            text.mark(match.start(), match.end(), "attribute", AttributeValues(values))


def take_dims(text: MarkedText, candidates: list[Mark]) -> None:
    """Mark the axes in "permute (0, 2, 1, 3)" or "flip [1]"."""
    for mark in candidates:
        entry = operator_named(mark.value) if isinstance(mark.value, str) else None
        dims = parameters_of(entry).get("dims") if entry is not None else None
        match = _ARGUMENTS.match(text.text, mark.end) if dims is not None and dims.kind == "ints" else None
        if match is not None and entry is not None and entry.name != "roll":
            axes = tuple(int(n) for n in re.findall(r"-?\d+", match[1] or match[2]))
            text.mark(match.start(), match.end(), "attribute", AttributeValues({"dims": axes}))


def take_argument(text: MarkedText, candidates: list[Mark]) -> None:
    """Mark the number in "leaky_relu(0.2)" as the operator's first argument beside its tensors."""
    for mark in candidates:
        entry = operator_named(mark.value) if isinstance(mark.value, str) else None
        match = _ARGUMENT.match(text.rest, mark.end)
        if entry is None or match is None:
            continue
        first = next((p for p in parameters_of(entry).values() if p.kind in ("int", "float")), None)
        if first is not None and first.name not in (*AXES, *FROM_SHAPE):
            text.mark(
                match.start(), match.end(), "attribute", AttributeValues({first.name: plain_number(match[1])})
            )


def plain_number(text: str) -> int | float:
    plain = text.replace("_", "")
    if plain[-1] in "km":
        return sizes.number(plain)
    return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)


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
    return sizes.number(text) if text.endswith("k") else int(text)


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
    symbol = (
        r"(?: ?[(（]?(?:[a-zα-ω]|lr|wd|eps)(?= ?[=:]))?"
        if len(alias) > _SYMBOLIC or not alias.isascii()
        else ""
    )
    return re.compile(rf"{product}{_name(alias)}{symbol}{_JOIN}(?P<value>{number}){unit}") if number else None


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
def flags() -> tuple[tuple[re.Pattern[str], dict[str, Value]], ...]:
    """Return the phrases that stand for an attribute and its value at once."""
    return tuple((whole(pattern), values) for pattern, values in words()["flags"])
