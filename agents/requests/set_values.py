"""Write what a follow-up sets by name as the readers of attributes know it: "kernel 改 3" as "kernel_size=3"."""

import ast
import re

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.follow_up_words import pattern
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.places import aliases
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.revision_words import plainly
from akgen.knowledge.forms import form_named

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
