"""What must hold after each of the four passes, whoever did the pass: a program, or a model that took it over.

The checks read C++ text, as the passes print it. What they cannot tell from the text they let pass: compiling and
running come after them.
"""

import re
from collections.abc import Iterator, Sequence

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import without_comments
from akgen.tools.dsl.buffers import EVENT_IDS
from akgen.tools.dsl.code import AlignedCode, CopyCall, KernelCode
from akgen.tools.dsl.errors import finding
from akgen.tools.dsl.pass_host import HostPass
from akgen.tools.dsl.pass_init import KernelInit

BLOCK_BYTES = 32
SCRATCH = "scratch_"  # declared in every class; without memory where nothing needs it
_SIZES = {
    "float": 4, "int32_t": 4, "uint32_t": 4, "half": 2, "bfloat16_t": 2, "int16_t": 2, "uint16_t": 2, "int8_t": 1,
    "uint8_t": 1, "int64_t": 8,
}  # fmt: skip
_DECLARED = re.compile(r"TILING_DATA_FIELD_DEF(?:_ARR|_STRUCT)?\s*\(([^()]*)\)")
# what the tiling function does, in its order: braces, fields that are set, launches
_TILED = re.compile(
    r"(?P<brace>[{}])|\bset_(?P<field>\w+)\s*\(|\bLaunch\s*\(\s*context\s*,\s*tiling\s*,\s*(?P<key>\d+)"
)
_MEMBER = re.compile(r"\b(?P<kind>TQue|TBuf|GlobalTensor)\s*<(?P<types>[^;]*)>\s*(?P<name>\w+)\s*;")
_READ = re.compile(r"\btiling\.(\w+)")
_MEMORY = re.compile(r"(?:->|\.)InitBuffer\s*\(\s*(\w+)\s*,\s*(.*)\)\s*;")
_QUEUED = re.compile(r"\b(\w+)\.(AllocTensor|EnQue|DeQue|FreeTensor)\b")
_ELEMENT = re.compile(r"\b(\w+)\.(SetValue|GetValue)\s*\(")
_LOCAL = re.compile(r"LocalTensor<(\w+)>&?\s+(\w+)")
_DESTINATION = re.compile(r"\b[A-Z]\w*(?:<[^;()]*>)?\s*\(\s*(\w+)\[(\d+)\]\s*,")
_WHOLE_COPY = re.compile(r"\bDataCopy\s*\((?P<to>[^;]*?),\s*(?P<of>[^;]*?),\s*(?P<count>[^,;]+)\)\s*;")


def after_host(host: HostPass) -> tuple[Diagnostic, ...]:
    """Return fields that a kernel reads and the struct lacks or a path to its launch leaves unset, and kernels that
    no path launches."""
    found: list[Diagnostic] = []
    declared = {part.split(",")[-1].strip() for part in _DECLARED.findall(without_comments(host.tiling_h))}
    names = list(host.fields)
    for kernel in names:
        for field in sorted(set(host.fields[kernel].values()) - declared):
            found.append(
                _finding("PASS_FIELD", f"`{kernel}` reads `{field}`, which {host.struct} does not have.")
            )
    text = without_comments(host.host_cpp)
    launched: set[int] = set()
    scopes: list[set[str]] = [set()]
    for step in _TILED.finditer(text):
        if step["brace"] == "{":
            scopes.append(set())
        elif step["brace"]:
            scopes = scopes[:-1] or [set()]
        elif step["field"]:
            scopes[-1].add(step["field"])
        else:
            key = int(step["key"])
            launched.add(key)
            known = set().union(*scopes)
            if 1 <= key <= len(names):
                needed = set(host.fields[names[key - 1]].values()) & declared
                for field in sorted(needed - known):
                    said = (
                        f"A path that launches `{names[key - 1]}` (tiling key {key}) leaves `{field}` unset."
                    )
                    found.append(_finding("PASS_FIELD", said))
            else:
                found.append(
                    _finding(
                        "PASS_LAUNCH", f"Tiling key {key} is launched; the kernels are 1 to {len(names)}."
                    )
                )
    if launched:
        for at, kernel in enumerate(names, 1):
            if at not in launched:
                found.append(_finding("PASS_LAUNCH", f"No path launches `{kernel}` (tiling key {at})."))
    elif "SetTilingKey" not in text:
        found.append(_finding("PASS_LAUNCH", "No path of the tiling function launches a kernel."))
    return tuple(dict.fromkeys(found))


def after_init(init: KernelInit, host: HostPass) -> tuple[Diagnostic, ...]:
    """Return buffers without memory or with more than the chip has events for, and global tensors without address."""
    found: list[Diagnostic] = []
    where, declared = init.class_name, without_comments(host.tiling_h)
    members = [m for line in init.members for m in _MEMBER.finditer(line)]
    phases = [tuple(map(without_comments, lines)) for lines in (init.init, *init.later)]
    given = [[m for line in lines for m in _MEMORY.finditer(line)] for lines in phases]
    for field in sorted({f for line in phases[0] for f in _READ.findall(line)}):
        if not re.search(rf"\b{field}\b", declared):
            text = f"{where} reads `{field}` of the tiling data, which {host.struct} does not have."
            found.append(_finding("PASS_FIELD", text))
    buffers = {m["name"]: m for m in members if m["kind"] != "GlobalTensor"}
    for name in buffers:
        if name != SCRATCH and not any(m[1] == name for phase in given for m in phase):
            found.append(_finding("PASS_BUFFER", f"`{name}` of {where} is given no memory by InitBuffer."))
    for phase in given:
        counts = {"VECIN": 0, "VECOUT": 0}
        for m in phase:
            if m[1] not in buffers:
                text = f"InitBuffer gives memory to `{m[1]}`, which {where} does not declare."
                found.append(_finding("PASS_BUFFER", text))
                continue
            member, number = buffers[m[1]], re.match(r"\s*(\d+)\s*,", m[2])
            if member["kind"] != "TQue" or number is None:
                continue
            side = next((s for s in counts if s in member["types"]), None)
            if int(number[1]) < 1:
                text = f"The queue `{m[1]}` of {where} is given {number[1]} buffers."
                found.append(_finding("PASS_QUEUE", text))
            if side is not None:
                counts[side] += int(number[1])
        for side, count in counts.items():
            if count > EVENT_IDS:
                text = f"The {side} queues of {where} have {count} buffers at a time; the chip has {EVENT_IDS} events."
                found.append(_finding("PASS_QUEUE", text))
    for m in members:
        if m["kind"] == "GlobalTensor" and not any(
            re.search(rf"\b{m['name']}\.SetGlobalBuffer\s*\(", line) for line in phases[0]
        ):
            found.append(_finding("PASS_GLOBAL", f"`{m['name']}` of {where} is given no address in Init."))
    return tuple(dict.fromkeys(found))


def after_compute(code: KernelCode | AlignedCode) -> tuple[Diagnostic, ...]:
    """Return queue cycles that do not close, single elements computed in loops, and destinations off 32 bytes."""
    found: list[Diagnostic] = []
    steps: dict[str, set[str]] = {}
    for f in code.functions:
        lines = [t for t in _texts(f.lines) if t]
        for text in lines:
            for queue, step in _QUEUED.findall(text):
                steps.setdefault(queue, set()).add(step)
        if f.stage == "compute":
            found += _elements(code.class_name, f.name, lines)
        found += _destinations(code.class_name, f.name, (*f.params, *lines), lines)
    for queue, done in steps.items():
        for first, second in (
            ("AllocTensor", "EnQue"),
            ("DeQue", "FreeTensor"),
            ("EnQue", "DeQue"),
            ("DeQue", "EnQue"),
        ):
            if first in done and second not in done:
                text = f"{code.class_name} calls {first} of `{queue}` and never {second}."
                found.append(_finding("PASS_CYCLE", text))
    return tuple(dict.fromkeys(found))


def _texts(lines: Sequence[object]) -> Iterator[str]:
    """Yield the lines as text; copies that are still data are left to pass 4."""
    for line in lines:
        content = line if isinstance(line, str) else getattr(line, "content", "")
        if isinstance(content, str):
            yield without_comments(content)


def _elements(where: str, name: str, lines: Sequence[str]) -> Iterator[Diagnostic]:
    depth, loops = 0, list[int]()
    for text in lines:
        if re.match(r"\s*(?:for|while)\b", text):
            loops.append(depth)
        touched = _ELEMENT.search(text)
        if touched and loops:
            said = f"{where}::{name} calls {touched[2]} of `{touched[1]}` in a loop: one element at a time."
            yield _finding("PASS_ELEMENTS", said)
        depth += text.count("{") - text.count("}")
        while loops and depth <= loops[-1] and "{" not in text:
            loops.pop()


def _destinations(
    where: str, name: str, declared: Sequence[str], lines: Sequence[str]
) -> Iterator[Diagnostic]:
    sizes = {tensor: _SIZES.get(kind) for text in declared for kind, tensor in _LOCAL.findall(text)}
    for text in lines:
        for tensor, at in _DESTINATION.findall(text):
            size = sizes.get(tensor)
            if size is not None and int(at) * size % BLOCK_BYTES:
                said = f"{where}::{name} writes to `{tensor}[{at}]`, byte {int(at) * size} of the tensor."
                yield _finding("PASS_DESTINATION", said)


def after_alignment(code: KernelCode, aligned: AlignedCode) -> tuple[Diagnostic, ...]:
    """Return copies of pass 3 that pass 4 lost, and DataCopy of lengths that are not known to be whole blocks."""
    found: list[Diagnostic] = []
    texts = {f.name: "\n".join(_texts(f.lines)) for f in aligned.functions}
    whole = "\n".join(texts.values())
    copies = [line.content for f in code.functions for line in f.lines if isinstance(line.content, CopyCall)]
    for c in copies:
        name = re.escape(c.remote)
        way = rf"Tile\w*Load\w*\s*\([^;]*{name}|DataCopy\w*\s*\([^,;]*,[^;]*{name}"
        if c.direction == "out":
            way = rf"Tile\w*Store\w*\s*\([^;]*{name}|DataCopy\w*\s*\(\s*{name}"
        if not re.search(rf"\b(?:{way})", whole):
            verb = "loads from" if c.direction == "in" else "stores to"
            text = f"Pass 3 {verb} `{c.remote}` in {aligned.class_name}; no copy does it any more."
            found.append(_finding("PASS_COPY_LOST", text))
    ragged = {_bare(e) for c in copies if not c.blocks for e in c.extent} - {
        _bare(c.extent[0]) for c in copies if c.blocks
    }
    for f in aligned.functions:
        sizes = {t: _SIZES.get(k) for text in (*f.params, *f.lines) for k, t in _LOCAL.findall(text)}
        for call in _WHOLE_COPY.finditer(texts[f.name]):
            count = _bare(call["count"])
            width = next(
                (s for t, s in sizes.items() if s and re.search(rf"\b{t}\b", call["to"] + call["of"])), 1
            )
            if count in ragged or (count.isdigit() and int(count) * width % BLOCK_BYTES):
                text = f"{aligned.class_name}::{f.name} copies `{count}` elements by DataCopy: whole blocks only."
                found.append(_finding("PASS_COPY_LENGTH", text))
    return tuple(dict.fromkeys(found))


def _bare(count: str) -> str:
    """Return a length without a cast around it."""
    cast = re.fullmatch(r"\s*static_cast<\w+>\((.*)\)\s*", count)
    return (cast[1] if cast else count).strip()


def _finding(code: str, text: str) -> Diagnostic:
    return finding(code, 0, text)
