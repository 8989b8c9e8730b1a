"""Kernels that are templates: the tiling key stands for template arguments, which the host side declares.

Source: vendor page "Tiling Template Programming". The kernel is not called itself: a function of the usual name and
form calls the template with the arguments of the key.
"""

import re
from typing import NamedTuple

from akgen.tools.core.dtypes import DType
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.entry import without_comments
from akgen.tools.twin.template_arguments import KERNEL_TYPES, TemplateArguments

_TYPES = {d.ge_value: d.cpp_name for d in DType}


class KernelTemplate(NamedTuple):
    """A kernel's template header: its parameters, each a type or not; and how many addresses the kernel takes."""

    parameters: tuple[tuple[str, bool], ...]
    addresses: int


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
        f'#include "{project.kernel_file}"\n'
        f"#if AKGEN_CORE_TYPE == 1\n#define AKGEN_ENTRY {cube_symbol}\n#else\n#define AKGEN_ENTRY {symbol}\n#endif\n"
        f'extern "C" __global__ __aicore__ void AKGEN_ENTRY({", ".join(addresses)})\n{{\n{task}'
        f"    {project.kernel}<{', '.join(words)}>({passed});\n}}\n"
    )
