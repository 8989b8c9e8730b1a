"""The kernel's entry point in its source: a function that the operator's interface calls, or a template of such.

The tiling key of a template stands for template arguments, which the host side declares. The template is not called
itself: a function of the usual name and form calls it with the arguments of the key.
Source: vendor page "Tiling Template Programming".
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, without_comments
from akgen.tools.twin.host.host_info import KERNEL_TYPES, HostOp, TemplateArguments

_ENTRY = re.compile(r"__global__[\w\s]*?\bvoid\s+(\w+)\s*\(([^)]*)\)", re.DOTALL)
_INCLUDES_API = re.compile(
    r'#\s*include\s*[<"](?:kernel_operator|kernel_basic_intf|basic_api/|adv_api/|lib/|kernel_)'
)


class KernelEntry(NamedTuple):
    """A kernel function: its name, its parameters, the file and line of its definition."""

    name: str
    parameters: tuple[str, ...]
    file: str
    line: int


def entries(project: KernelProject) -> tuple[KernelEntry, ...]:
    """Return every __global__ function in the kernel files, in file order."""
    found = []
    for path in project.kernel_files:
        text = without_comments(project.files[path])
        for match in _ENTRY.finditer(text):
            names = tuple(p.split()[-1].lstrip("*&") for p in match[2].split(",") if p.strip())
            found.append(KernelEntry(match[1], names, path, text.count("\n", 0, match.start()) + 1))
    return tuple(found)


def check_entry(
    project: KernelProject, op: HostOp | None
) -> tuple[KernelEntry | None, tuple[Diagnostic, ...]]:
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


def takes_shape_output(op: HostOp) -> bool:
    """Say whether the kernel gets one more address, where it writes the shapes that only it knows."""
    return any(p.shape_depends_on_compute for p in op.outputs)


def _arity(entry: KernelEntry, op: HostOp) -> Diagnostic | None:
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


def _finding(code: str, text: str, entry: KernelEntry | None = None, file: str | None = None) -> Diagnostic:
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


_TYPES = {d.ge_value: d.cpp_name for d in DType}


class KernelTemplate(NamedTuple):
    """A kernel's template header: its parameters, each a type or not; and how many addresses the kernel takes."""

    parameters: tuple[tuple[str, bool], ...]
    addresses: int


ENTRY_MACRO = "AKGEN_KERNEL_ENTRY"  # stands for the kernel's name where that means something else as well


def entry_apart(files: Mapping[str, str], kernel: str) -> Mapping[str, str] | None:
    """Return the sources with ENTRY_MACRO for the kernel's name where the kernel is defined or declared.

    None where the name stands nowhere else: a macro of the kernel's own name then does. Else it would rename a field of
    the tiling data, a member or a namespace (`scale`, `matmul`) as well.
    """
    return _apart(tuple(files.items()), kernel)


@lru_cache(maxsize=16)  # every launch of a kernel asks again
def _apart(files: tuple[tuple[str, str], ...], kernel: str) -> Mapping[str, str] | None:
    defined = re.compile(rf"(\b__global__\b[^;{{}}()]*?\bvoid\s+){re.escape(kernel)}(?=\s*\()")
    word = re.compile(rf"\b{re.escape(kernel)}\b")
    apart = {path: defined.sub(rf"\g<1>{ENTRY_MACRO}", text) for path, text in files}
    found = any(apart[path] != text for path, text in files)
    elsewhere = any(word.search(without_comments(text)) for text in apart.values())
    return apart if found and elsewhere else None


def kernel_template(project: KernelProject) -> KernelTemplate | None:
    """Return the template header of the project's kernel; None if the kernel is no template."""
    found = re.compile(
        r"template\s*<(?P<list>[^<>]*)>\s*(?:extern\s*\"C\"\s*)?__global__[\w\s]*?\bvoid\s+"
        + re.escape(project.kernel)
        + r"\s*\((?P<args>[^)]*)\)"
    )
    for path in project.kernel_files:
        match = found.search(without_comments(project.files[path]))
        if match is not None:
            parameters = []
            for word in match["list"].split(","):
                kind, _, name = word.split("=")[0].strip().rpartition(" ")
                parameters.append((name, kind.split() in (["typename"], ["class"])))
            return KernelTemplate(tuple(parameters), sum(bool(a.strip()) for a in match["args"].split(",")))
    return None


def entry_source(
    project: KernelProject, template: KernelTemplate, given: TemplateArguments, symbol: str, cube_symbol: str
) -> str:
    """Write the source that includes the kernel and calls its template with the arguments of one key."""
    values = dict(given.args)
    words = [
        (_TYPES.get(values.get(name, -1), "void") if is_type else str(values.get(name, 0)))
        for name, is_type in template.parameters
    ]
    addresses = [f"uint8_t *a{i}" for i in range(template.addresses)]
    passed = ", ".join(f"a{i}" for i in range(template.addresses))
    task = (
        f"    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{KERNEL_TYPES[given.kernel_type]});\n"
        if given.kernel_type is not None
        else ""
    )
    return (
        # Nobody but this entry calls the template, which both kinds of core may have.
        '#include "kernel_operator.h"\n#pragma push_macro("__global__")\n#undef __global__\n#define __global__\n'
        f'#include "{project.kernel_file}"\n#pragma pop_macro("__global__")\n'
        f"#if AKGEN_CORE_TYPE == 1\n#define AKGEN_ENTRY {cube_symbol}\n#else\n#define AKGEN_ENTRY {symbol}\n#endif\n"
        f'extern "C" __global__ __aicore__ void AKGEN_ENTRY({", ".join(addresses)})\n{{\n{task}'
        f"    {project.kernel}<{', '.join(words)}>({passed});\n}}\n"
    )
