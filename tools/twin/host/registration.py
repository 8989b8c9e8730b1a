"""What must be registered for an operator to exist, and what a kernel relies on the host to have said and set."""

import re
from collections.abc import Iterator
from functools import lru_cache

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, without_comments
from akgen.tools.twin.host.host_info import HostInfo, TilingField
from akgen.tools.twin.host.host_run import HostFailure, TilingResult
from akgen.tools.twin.kernel.kernel_entry import kernel_template
from akgen.tools.twin.kernel.kernel_prelude import vendor_structs

_READS_TILING = re.compile(r"\bGET_TILING_DATA(?:_WITH_STRUCT|_MEMBER|_PTR_WITH_STRUCT)?\s*\(")

_KEY_IS = re.compile(r"\bTILING_KEY_(?:IS|LIST)\s*\(([^()]*)\)")
_KEY_TYPE = re.compile(r"\bKERNEL_TASK_TYPE\s*\(\s*([^(),]+),")
_KEY_VAR = re.compile(r"\bTILING_KEY_VAR\b")
_NAMED_KEY = re.compile(
    r"(?:#\s*define\s+(?=\w+\s+\(?\d)|(?:constexpr|const)\s+[\w:]+\s+(?=\w+\s*=\s*\d))(\w+)\s*=?\s*([\w()]+)"
)


def check_host(project: KernelProject, info: HostInfo) -> tuple[Diagnostic, ...]:
    """Return what op_host forgot: OP_ADD, a chip, type lists of one length, the tiling function, nested structs."""
    op = info.op
    if op is None:
        have = ", ".join(info.ops) or "none"
        text = f"No OpDef named {project.op_type} is registered; registered: {have}."
        return (
            _finding("REGISTRATION", text, f"Declare class {project.op_type} : public OpDef and OP_ADD it."),
        )
    if not op.supported:
        have = ", ".join(op.socs) or "none"
        text = f"AICore().AddConfig names no chip of this family; it names {have}."
        return (_finding("REGISTRATION", text, 'Add .AddConfig("ascend910b").'),)
    found = [*_lengths(info), *_nested(info), *_untyped_keys(project)]
    if not op.has_tiling and any(
        _READS_TILING.search(without_comments(project.files[p])) for p in project.kernel_files
    ):
        text = "The kernel reads tiling data, but op_host registers no tiling function."
        found.append(_finding("REGISTRATION", text, "Call AICore().SetTiling(optiling::TilingFunc)."))
    return tuple(found)


def check_tiling(project: KernelProject, info: HostInfo, tiling: TilingResult) -> None:
    """Raise HostFailure if the host wrote less tiling data than the kernel's struct has."""
    of_key = info.tiling_class(project.op_type, tiling.tiling_key)
    size = len(tiling.data or b"")
    if of_key is None or size >= of_key.size:
        return
    reads = any(_READS_TILING.search(without_comments(project.files[p])) for p in project.kernel_files)
    if reads:
        text = f"The tiling function set {size} bytes of tiling data; {of_key.name} takes {of_key.size}."
        remedy = "Call SaveToBuffer and then SetDataSize(tiling.GetDataSize())."
        raise HostFailure(Diagnostic(code="TILING_SIZE", text=text, remedy=remedy, stage="tiling"))


def check_key(project: KernelProject, tiling: TilingResult) -> None:
    """Raise HostFailure if the kernel has no branch for this tiling key.

    CANN builds a kernel for the keys in its TILING_KEY_IS, and for 0 if it has none. Keys that are not literals or
    names of literals in the kernel's files cannot be told here; then nothing is checked.
    """
    keys, text = keys_of(project), _device_text(project)
    if keys is None or (tiling.template is not None and kernel_template(project) is not None):
        return
    known = keys or {0}
    if tiling.tiling_key not in known and not _KEY_VAR.search(text):
        have = ", ".join(map(str, sorted(known)))
        told = (
            f"the kernel's TILING_KEY_IS name {have}"
            if keys
            else "the kernel has no TILING_KEY_IS, so only key 0"
        )
        text = f"The tiling function set tiling key {tiling.tiling_key}; {told}."
        remedy = "Let SetTilingKey and TILING_KEY_IS use the same keys."
        raise HostFailure(Diagnostic(code="TILING_KEY", text=text, remedy=remedy, stage="tiling"))


def keys_of(project: KernelProject) -> frozenset[int] | None:
    """Return the tiling keys that the kernel's files name; None if some cannot be told from the text."""
    return _keys_in(_device_text(project))


@lru_cache(maxsize=16)  # every launch of a kernel asks again
def _keys_in(text: str) -> frozenset[int] | None:
    names = dict(_NAMED_KEY.findall(text))
    written = _KEY_IS.findall(text)
    if len(written) != text.count("TILING_KEY_IS") + text.count("TILING_KEY_LIST"):
        return None
    keys = [_literal(names.get(word.strip(), word)) for words in written for word in words.split(",")]
    return None if None in keys else frozenset(key for key in keys if key is not None)


def _device_text(project: KernelProject) -> str:
    return without_comments("\n".join(project.files[p] for p in project.kernel_files))


def _literal(text: str) -> int | None:
    found = re.fullmatch(
        r"\s*\(?\s*(0[xX][0-9a-fA-F]{1,16}|0[0-7]{0,22}|[1-9]\d{0,19})[uUlL]*\s*\)?\s*", text
    )
    if found is None:
        return None
    octal = found[1].startswith("0") and found[1].isdigit()
    return int(found[1], 8 if octal else 0)


def _untyped_keys(project: KernelProject) -> list[Diagnostic]:
    """Return a finding if some of the kernel's keys have a kernel type, others have none, and there is no default.

    Source: vendor page on setting the kernel type. Keys that cannot be told from the text are taken to have one.
    """
    text = _device_text(project)
    names = dict(_NAMED_KEY.findall(text))
    typed = {_literal(names.get(word.strip(), word)) for word in _KEY_TYPE.findall(text)}
    keys = keys_of(project)
    if not typed or None in typed or not keys or "KERNEL_TASK_TYPE_DEFAULT" in text:
        return []
    untyped = ", ".join(map(str, sorted(keys - typed)))
    if not untyped or kernel_template(project) is not None:
        return []
    told = f"KERNEL_TASK_TYPE names no kernel type for tiling key {untyped}, and there is no default."
    return [
        _finding(
            "TILING_KEY", told, "Write KERNEL_TASK_TYPE_DEFAULT(...), or a KERNEL_TASK_TYPE for each key."
        )
    ]


def _lengths(info: HostInfo) -> list[Diagnostic]:
    """Return findings for lists of types and formats that make no columns: a kernel is built for each column."""
    assert info.op is not None
    sizes = {
        p.name: len(p.dtypes) for p in (*info.op.inputs, *info.op.outputs) if p.dtypes and not p.each_type
    }
    found = []
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in sizes.items())
        remedy = "Give every input and output the same number of types, column by column."
        found.append(_finding("REGISTRATION", f"The DataType lists differ in length: {told}.", remedy))
    for p in (*info.op.inputs, *info.op.outputs):
        if p.name in sizes and p.formats and not p.each_format and len(p.formats) < len(p.dtypes):
            text = f"{p.name} has {len(p.dtypes)} types and {len(p.formats)} formats, which stand in columns, too."
            remedy = "Write a format for each type in Format({...}), or FormatList({ge::FORMAT_ND}) once."
            found.append(_finding("REGISTRATION", text, remedy))
    return found


def _nested(info: HostInfo) -> list[Diagnostic]:
    registered = {c.name for c in info.tiling_classes} | vendor_structs()
    wanted = {n for c in info.tiling_classes for n in _structs(c.fields)}
    return [
        _finding(
            "TILING_STRUCT",
            f"The tiling struct {name} is a field of another one and is not registered.",
            f"Write REGISTER_TILING_DATA_CLASS({name}Op, {name}).",
        )
        for name in sorted(wanted - registered)
    ]


def _structs(fields: tuple[TilingField, ...]) -> list[str]:
    inner = [f for f in fields if f.fields is not None]
    return [n for f in inner for n in (f.type, *_structs(f.fields or ()))]


def _finding(code: str, text: str, remedy: str) -> Diagnostic:
    return Diagnostic(code=code, text=text, remedy=remedy, stage="compile")


_DEFINITION = re.compile(r"TILING_DATA_FIELD_DEF\w*\s*\([^)]*\)")


def unset_fields(project: KernelProject, info: HostInfo | None, key: int) -> tuple[Diagnostic, ...]:
    """Return a warning for each such field, at the kernel's first use of it.

    A field counts as set if its setter, its getter or the member itself stands anywhere in the host's text.
    """
    of_key = info.tiling_class(project.op_type, key) if info is not None else None
    if of_key is None:
        return ()
    host = "\n".join(without_comments(project.files[p]) for p in project.host_files)
    kernel = tuple((p, without_comments(project.files[p])) for p in project.kernel_files)
    return _never_set(of_key.name, tuple(_plain_names(of_key.fields)), host, kernel)


@lru_cache(maxsize=16)  # every launch of a kernel asks again
def _never_set(
    tiling: str, names: tuple[str, ...], host: str, kernel: tuple[tuple[str, str], ...]
) -> tuple[Diagnostic, ...]:
    host = _DEFINITION.sub("", host)
    found = []
    for name in names:
        if re.search(rf"\b[sg]et_{name}\b|(?:\.|->)\s*{name}\b|##", host):
            continue
        use = _first_use(name, kernel)
        if use is not None:
            found.append(
                Diagnostic(
                    code="TILING_UNSET",
                    text=f"The kernel reads {tiling}.{name}, and the host never sets it.",
                    file=use[0],
                    line=use[1],
                    remedy=f"Call set_{name}(...) in the tiling function, on every path.",
                    severity="warning",
                    stage="tiling",
                )
            )
    return tuple(found)


def _plain_names(fields: tuple[TilingField, ...]) -> Iterator[str]:
    """Yield the names of fields that are numbers or arrays; library structs are set by the library."""
    return (f.name for f in fields if f.fields is None)


def _first_use(name: str, kernel: tuple[tuple[str, str], ...]) -> tuple[str, int] | None:
    for path, text in kernel:
        match = re.search(rf"(?:\.|->)\s*{name}\b(?!\s*\()", text)
        if match is not None:
            return path, text.count("\n", 0, match.start()) + 1
    return None
