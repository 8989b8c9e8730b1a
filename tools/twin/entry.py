"""The kernel's entry point in its source, and whether it is what the operator's interface calls."""

import re
from typing import NamedTuple

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.host_info import HostOp

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRY = re.compile(r"__global__[\w\s]*?\bvoid\s+(\w+)\s*\(([^)]*)\)", re.DOTALL)
_INCLUDES_API = re.compile(
    r'#\s*include\s*[<"](?:kernel_operator|kernel_basic_intf|basic_api/|adv_api/|lib/|kernel_)'
)


class Entry(NamedTuple):
    """A kernel function: its name, its parameters, the file and line of its definition."""

    name: str
    parameters: tuple[str, ...]
    file: str
    line: int


def entries(project: KernelProject) -> tuple[Entry, ...]:
    """Return every __global__ function in the kernel files, in file order."""
    found = []
    for path in project.kernel_files:
        text = without_comments(project.files[path])
        for match in _ENTRY.finditer(text):
            names = tuple(p.split()[-1].lstrip("*&") for p in match[2].split(",") if p.strip())
            found.append(Entry(match[1], names, path, text.count("\n", 0, match.start()) + 1))
    return tuple(found)


def check_entry(project: KernelProject, op: HostOp | None) -> tuple[Entry | None, tuple[Diagnostic, ...]]:
    """Return the entry named after the kernel, or what is wrong with it."""
    if project.kernel_file not in project.files:
        have = ", ".join(project.kernel_files) or "no file"
        return None, (_finding("KERNEL_FILE", f"{project.kernel_file} is missing; op_kernel holds {have}."),)
    found = entries(project)
    entry = next((e for e in found if e.name == project.kernel), None)
    if entry is None:
        have = ", ".join(e.name for e in found)
        told = f"the __global__ functions are {have}" if have else "there is no __global__ function"
        text = f"The kernel function {project.kernel} is missing; {told}."
        return None, (_finding("ENTRY_NAME", text, found[0] if found else None, project.kernel_file),)
    if not any(_INCLUDES_API.search(project.files[p]) for p in project.kernel_files):
        text = "No kernel file includes kernel_operator.h."
        return None, (_finding("INCLUDE_MISSING", text, None, entry.file),)
    if op is not None and (wrong := _arity(entry, op)) is not None:
        return None, (wrong,)
    return entry, ()


def without_comments(text: str) -> str:
    """Blank out comments; lines keep their numbers."""
    return _COMMENT.sub(lambda m: "\n" * m[0].count("\n") or " ", text)


def takes_shape_output(op: HostOp) -> bool:
    """Say whether the kernel gets one more address, where it writes the shapes that only it knows."""
    return any(p.shape_depends_on_compute for p in op.outputs)


def _arity(entry: Entry, op: HostOp) -> Diagnostic | None:
    tensors = [*(p.name for p in op.inputs), *(p.name for p in op.outputs)]
    if takes_shape_output(op):
        tensors.append("shape_out")
    # A kernel that carries its numbers itself may leave the tiling address out.
    bare = not entry.parameters or "tiling" not in entry.parameters[-1].lower()
    if len(entry.parameters) == len(tensors) + (1 if bare else 2):
        return None
    wanted = ", ".join([*tensors, "workspace", "tiling"])
    have, given = len(entry.parameters), ", ".join(entry.parameters)
    text = f"{entry.name} takes {have} addresses ({given}); it is called with {wanted}."
    return _finding("ENTRY_PARAMETERS", text, entry)


def _finding(code: str, text: str, entry: Entry | None = None, file: str | None = None) -> Diagnostic:
    return Diagnostic(
        code=code,
        text=text,
        file=entry.file if entry else file,
        line=entry.line if entry else None,
        remedy=_REMEDIES[code],
        stage="compile",
    )


_REMEDIES = {
    "KERNEL_FILE": "Name the kernel's file op_kernel/<operator in snake case>.cpp.",
    "ENTRY_NAME": 'Define extern "C" __global__ __aicore__ void <operator in snake case>(...).',
    "ENTRY_PARAMETERS": "Take the inputs, then the outputs, in the OpDef's order, then workspace and tiling.",
    "INCLUDE_MISSING": 'Write #include "kernel_operator.h" at the top of the kernel.',
}
