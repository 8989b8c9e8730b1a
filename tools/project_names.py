"""Find out what a project that we did not write calls its operator."""

import re
from pathlib import Path

from akgen.tools.outcome import InputError
from akgen.tools.project import KernelProject

_OP_ADD = re.compile(r"^\s*OP_ADD\s*\(\s*(\w+)", re.MULTILINE)
_ENTRY = re.compile(r"\b__global__\b[^;{()]*?\bvoid\s+(\w+)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def read_project(folder: Path, op_type: str, kernel: str) -> KernelProject:
    """Read a project; `op_type` and `kernel` are the task's names, used where the sources do not say otherwise.

    Raises InputError if there is no kernel, or several and none has the task's name.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder.", "Give the folder that holds op_host and op_kernel.")
    project = KernelProject.read_from(folder, op_type, kernel)
    entries = _names(project, "op_kernel/", _ENTRY)
    if not entries:
        raise InputError(
            f"{folder} holds no kernel entry.", 'A kernel is declared extern "C" __global__ __aicore__ void.'
        )
    if kernel not in entries:
        if len(entries) > 1:
            raise InputError(
                f"{folder} holds several kernels ({', '.join(entries)}) and none is named {kernel}.",
                f"Name the one to judge {kernel}.",
            )
        kernel = entries[0]
    types = _names(project, "op_host/", _OP_ADD)
    if types and op_type not in types:
        op_type = types[0]
    return project.model_copy(update={"op_type": op_type, "kernel": kernel})


def _names(project: KernelProject, folder: str, pattern: re.Pattern[str]) -> list[str]:
    """Return what the pattern finds in the sources below a folder, in order, each once, comments left out."""
    found: dict[str, None] = {}
    for path, text in sorted(project.files.items()):
        if path.startswith(folder):
            found.update(dict.fromkeys(pattern.findall(_COMMENT.sub(" ", text))))
    return list(found)
