"""Members that a class does not have, `.` for `->`, and one class taken for another that leads to it."""

import re

from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.header_classes import (
    HeaderClass,
    class_named,
    classes_in,
    derived,
    header_classes,
    type_name,
)
from akgen.tools.twin.findings.header_names import enumerators
from akgen.tools.twin.findings.name_findings import enumerator, meant, signature
from akgen.tools.twin.findings.near_names import closest

_MOST_LISTED = 24
_MOST_OTHERS = 3
TILING_FUNCTIONS = ("SaveToBuffer", "GetDataSize", "SetDataPtr")


def member(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a member that a class does not have."""
    name = match[2]
    whole = type_name(match[1])
    owner = whole.split("::")[-1]
    if owner in enumerators(code.side):
        return enumerator(name, owner, code.side)
    fields = code.fields(owner)
    if fields:
        return _tiling_field(owner, name, fields, code)
    known = classes(code)
    cls = class_named(whole, known)
    if cls is None:
        return Found("UNKNOWN_MEMBER", f"{owner} has no member {name}.")
    return (
        _through(cls, name, known, code.line(error)) or _of_another(cls, name, known) or _nearest(cls, name)
    )


def pointer(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain `.` on a pointer."""
    return _other_operator(match[1], match[2], "->", error, code)


def no_pointer(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain `->` on an object, whose member the compiler leaves to the line."""
    named = re.match(r"->\s*(\w+)", code.rest(error)) or re.search(r"->\s*(\w+)", code.line(error))
    return _other_operator(named[1] if named else "", match[1], ".", error, code)


def _other_operator(name: str, type_: str, right: str, error: CompilerError, code: Code) -> Found:
    known = classes(code)
    cls = class_named(type_, known)
    plain = type_name(type_)
    kind = "a pointer" if right == "->" else "not a pointer"
    if cls is not None and name not in cls.members and not code.fields(cls.name):
        found = _through(cls, name, known, code.line(error), right) or _nearest(cls, name)
        return found._replace(text=f"{found.text.rstrip('.')}, and it is {kind} here.")
    text = f"{plain or 'The value'} is {kind} here, so {right} leads to its members."
    return Found(
        "UNKNOWN_MEMBER", text, f"Write {right}{name} instead of {'.' if right == '->' else '->'}{name}."
    )


def taken_for(given: str, wanted: str, line: str, code: Code) -> str | None:
    """Return what to write where a class stands for another one that it leads to."""
    known = classes(code)
    one, other = class_named(given, known), type_name(wanted).split("::")[-1]
    if one is None or one.name == other or not ("*" in wanted or class_named(wanted, known)):
        return None
    element = re.search(r"<(.*)>", wanted)
    steps = [
        f"{m.name}{f'<{element[1]}>' if m.template and element else ''}()"
        for m in one.accessors(other)
        if "*" in wanted or not m.pointer
    ]
    if not steps:
        return None
    by = "->" if "*" in given else "."
    pointed = any(m.pointer for m in one.accessors(other))
    address = "&" if "*" in wanted and not pointed else ""
    value = re.search(r"(?:=|\breturn)\s*&?\s*([^=;]+?)\s*;", line)
    if value is not None and "(" not in line[: value.start()] and line.count("=") == 1:
        follows = "->" if value[1].startswith("*") else by
        ways = " or ".join(f"{address}{value[1].lstrip('*')}{follows}{step}" for step in steps)
        return f"Write {ways}."
    ways = " or ".join(f"{by}{step}" for step in steps)
    return f"Write {ways} after it{', and & before it' if address else ''}."


def classes(code: Code) -> tuple[HeaderClass, ...]:
    """Return the classes that a unit may use: its own, then those of the headers."""
    known = header_classes(code.side)
    own = classes_in("\n".join(code.files.values()))
    bases = {c.name: c for c in known}
    return (*(derived(c, bases[c.base]) if c.base in bases else c for c in own), *known)


def _through(
    cls: HeaderClass, name: str, known: tuple[HeaderClass, ...], line: str, right: str | None = None
) -> Found | None:
    """Explain a member of a class that this one leads to, or a step to this class from itself."""
    found = re.search(rf"(->|\.)\s*(?:template\s+)?{re.escape(name)}\b", line)
    by = right or (found[1] if found else ".")
    for step in sorted(cls.methods, key=lambda m: ("Storage" not in m.name, m.name)):
        to = class_named(step.returns, known) if step.wants == 0 else None
        if to is None or to.name == cls.name or to.scope != cls.scope:
            continue
        if name in to.members:
            on = "->" if step.pointer else "."
            text = f"{cls.name} has no member {name}; its {to.name} has it."
            return Found("UNKNOWN_MEMBER", text, f"Write {by}{step.name}(){on}{name}.")
    bare = re.search(rf"\b{re.escape(name)}(?:<[^()]*>)?\(\)", line)
    for other in known if bare else ():
        step_here = other.accessor(cls.name)
        if step_here is not None and other.scope == cls.scope and name in {
            m.name for m in other.methods if m.returns == cls.name and m.wants == 0
        }:  # fmt: skip
            text = f"{cls.name} has no member {name}; it is the {cls.name} that {name} gives."
            after = re.search(rf"\b{re.escape(name)}\(\)\s*\.\s*(\w+)", line)
            if after is not None:
                return Found(
                    "UNKNOWN_MEMBER", text, f"Write {by}{after[1]} instead of {by}{name}().{after[1]}."
                )
            star = ", and write * before the pointer where a value is wanted" if by == "->" else ""
            return Found("UNKNOWN_MEMBER", text, f"Leave {by}{name}() out{star}.")
    return None


def _of_another(cls: HeaderClass, name: str, known: tuple[HeaderClass, ...]) -> Found | None:
    """Explain a member that this class does not have and another one has."""
    best = closest(name, cls.members)
    if best is not None and (best.startswith(name) or closest(name, cls.members, least=0.85)):
        return None
    others = [c.name for c in known if c.scope == cls.scope and name in c.members and c.name != cls.name]
    if not others or len(others) > _MOST_OTHERS:
        return None
    have = " and ".join(others)
    text = f"{cls.name} has no member {name}; {have} {'has' if len(others) == 1 else 'have'} it."
    return Found(
        "UNKNOWN_MEMBER", text, f"Declare it as {others[0]}, or use what {cls.name} has: {_some(cls)}."
    )


def _some(cls: HeaderClass) -> str:
    have = sorted(cls.members)
    return ", ".join(have[:_MOST_LISTED]) + (" and others" if len(have) > _MOST_LISTED else "")


def _nearest(cls: HeaderClass, name: str) -> Found:
    best = closest(name, cls.members)
    have = f" It has {_some(cls)}." if cls.members else ""
    text = f"{cls.name} has no member {name}{meant(best)}{have}"
    if best is not None:
        return Found("UNKNOWN_MEMBER", text, f"Write {signature(best) or best}.")
    return Found("UNKNOWN_MEMBER", text, "Take one of these." if have else None)


def _tiling_field(struct: str, name: str, fields: tuple[str, ...], code: Code) -> Found:
    """Explain a field that a tiling struct lacks: on the device a member, on the host `set_` and `get_` of one."""
    have = f"Its fields are {', '.join(fields)}."
    if code.side == "device":
        best = closest(name, fields)
        text = f"The tiling struct {struct} has no field {name}{meant(best)} {have}"
        remedy = f"Write {best}." if best else "Name the field as TILING_DATA_FIELD_DEF does."
        return Found("TILING_STRUCT", text, remedy)
    if name in fields:
        text = f"{struct} has no member {name} on the host, where fields are set by functions."
        return Found("UNKNOWN_MEMBER", text, f"Write set_{name}(...).")
    functions = (*(f"set_{f}" for f in fields), *(f"get_{f}" for f in fields), *TILING_FUNCTIONS)
    best = closest(name, functions)
    text = f"{struct} has no member {name}{meant(best)} {have}"
    if best is not None:
        return Found("UNKNOWN_MEMBER", text, f"Write {best}.")
    field = re.sub(r"^[sg]et_", "", name)
    return Found(
        "UNKNOWN_MEMBER", text, f"Write one of these, or add TILING_DATA_FIELD_DEF(<type>, {field})."
    )
