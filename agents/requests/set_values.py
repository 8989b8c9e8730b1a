"""Write the values that a follow-up sets, keeps or goes back to as the readers of attributes know them.

"kernel 改 3" becomes "kernel_size=3"; "same window", "eps 不变" and "the old slope" become the attributes with the
values that they have or had.
"""

import ast
import re
from collections.abc import Iterator

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.follow_up_words import follow_up_words, pattern, patterns, plainly
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.places import aliases
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.forms import form_named
from akgen.knowledge.operators import Value

_VAGUE = frozenset(
    ("with", "fill with", "by", "to", "into", "in", "out", "成", "为", "到", "n", "输出", "输入")
)
_SWITCHES = {"on": "True", "off": "False", "true": "True", "false": "False", "开": "True", "关": "False"}


def set_values(part: str, known: Request) -> str | None:
    """Return a clause that sets an attribute of a known step as "name=value"; None of any other clause."""
    said = plainly(part)
    told = _set(said, known)
    if told is None or pattern("set plainly").fullmatch(said):
        return None
    name, value = told
    if sizes := re.fullmatch(r"(\d+) ?[x×*] ?(\d+)", value):
        value = f"({sizes[1]}, {sizes[2]})"
    return f"{name}={_SWITCHES.get(value, value)}"


def without_old(text: str, known: Request) -> str:
    """Leave out the value that an attribute has behind the one that it shall have: "slope 0.3, not 0.1"."""
    match = pattern("not the old").search(text)
    if match is None:
        return text
    told = _set(plainly(re.split(r"[,，;；。]|\. ", text[: match.start()])[-1]), known)
    if told is None or not any(_equal(match["old"], v) for v in _values(told[0], known)):
        return text
    return text[: match.start()] + text[match.end() :]


def _set(said: str, known: Request) -> tuple[str, str] | None:
    """Return the attribute of a known step that a clause sets, and the value."""
    match = pattern("sets").fullmatch(said)
    told = {n.rstrip("0123456789"): v.strip() for n, v in match.groupdict().items() if v} if match else {}
    if match is None or told["name"].lower() in _VAGUE:
        return None
    owned = {
        name
        for step in known.steps
        for name in _attributes(step)
        if told["name"].lower().replace("_", " ") in {a.replace("_", " ") for a in aliases(name)}
    }
    return (owned.pop(), told["value"].lower()) if len(owned) == 1 else None


def _values(name: str, known: Request) -> list[str]:
    """Return the values that an attribute has, where none is told its default."""
    found = []
    for step in known.steps:
        if name in step.attributes:
            found.append(str(step.attributes[name]))
        elif step.formula is None and (parameter := parameters_of(entry_of(step)).get(name)) is not None:
            found.append(str(parameter.default))
        else:
            found += re.findall(rf"(?<![a-z_]){name}=([-\d.e]+)", step.formula or "")
    return found


def _equal(old: str, value: str) -> bool:
    try:
        return float(old) == float(value)
    except ValueError:
        return old == "0" and value == "None"  # what a pad is filled with where nothing is told


def _attributes(step: ChainStep) -> tuple[str, ...]:
    """Return what may be set of a step."""
    if step.formula is None:
        return tuple(n for n, p in parameters_of(entry_of(step)).items() if not p.is_tensor)
    tree = ast.parse(step.formula, mode="eval").body
    form = form_named(ast.unparse(tree.func)) if isinstance(tree, ast.Call) else None
    return tuple(form.attributes) if form is not None else ()


_AND = re.compile(r"\s*(?:,|/|&|、|和|与|(?<![a-z])and(?![a-z]))\s*")
_FIRST = ("first", "original", "initial", "最初", "最开始", "原来", "原先", "一开始", "第一个")
_BARE_KEEP = re.compile(
    r"(?:and |but )*keep (?:the )?(?:reduced )?(?:dims?|dimensions?|axis|axes|rank)(?: please)?", re.I
)


def kept_values(part: str, known: Request) -> str | None:
    """Return a clause that keeps attributes with the values that they have; None where one has none, or of another."""
    said = plainly(part)
    if _BARE_KEEP.fullmatch(said):
        return None  # of a reduction's result
    for form in patterns("kept"):
        if (match := form.fullmatch(said)) is None:
            continue
        written: list[str] = []
        for name in _AND.split(match["names"].strip().lower()):
            if pattern("always kept").fullmatch(name):
                continue
            values = _known_values(name, known)
            if not values:
                return None
            written += [f"{own}={_written(value)}" for own, value in values.items()]
        return ", ".join(dict.fromkeys(written))
    return None


def gone_back(part: str, known: Request) -> str | None:
    """Return "back to the first slope" with the value that it had; None where more than one may be meant."""
    match = pattern("gone back").fullmatch(plainly(part))
    said = {n.rstrip("23"): v for n, v in match.groupdict().items() if v} if match is not None else {}
    if "name" not in said:
        return None
    history = [_known_values(said["name"].lower().strip(), r) for r in (*known.earlier, known)]
    told = [values for values in history if len(values) == 1]
    if not told or len({*map(tuple, told)}) > 1:
        return None
    (name,) = told[0]
    had: list[Value] = [values[name] for values in told]
    now = had[-1]
    others = [v for v in dict.fromkeys(had) if v != now]
    if said["which"].lower() in _FIRST:
        return f"{name}={_written(had[0])}"
    return f"{name}={_written(others[0])}" if len(others) == 1 else None


def _known_values(name: str, known: Request) -> dict[str, Value]:
    """Return the attributes that a name means with the values that they have; none where two steps differ in one."""
    wanted = follow_up_words()["groups of names"].get(name) or [*aliases(name), name.replace(" ", "_")]
    found: dict[str, Value] = {}
    for own, value in _known_attributes(known):
        if own in wanted and found.setdefault(own, value) != value:
            return {}
    return found


def _known_attributes(known: Request) -> Iterator[tuple[str, Value]]:
    for step in known.steps:
        yield from values_of(step)


def values_of(step: ChainStep) -> Iterator[tuple[str, Value]]:
    """Yield the values that a step is told, also those within a formula, by their names."""
    yield from step.attributes.items()
    for node in ast.walk(ast.parse(step.formula or "0", mode="eval")):
        if isinstance(node, ast.keyword) and node.arg is not None:
            try:
                yield node.arg, ast.literal_eval(node.value)
            except ValueError:
                continue


def _written(value: Value) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
