"""Look at a project without a task: does it register, does its entry fit, does it compile.

Nothing of the kernel is run; of the host code only what registers the operator. Covered is one combination of types,
the OpDef's first, for every tiling key that the kernel names. What depends on shapes (tiling, memory, synchronisation)
only a test says.

Tensors that a class keeps as members are told of: some builds of the vendor fail in the code that they generate for
them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, without_comments
from akgen.tools.twin.host.call_check import Column
from akgen.tools.twin.host.host_build import build_host
from akgen.tools.twin.host.host_info import HostInfo, HostOp, columns
from akgen.tools.twin.host.registration import check_host, keys_of
from akgen.tools.twin.kernel.kernel_build import build_kernel
from akgen.tools.twin.kernel.kernel_entry import check_entry, kernel_template
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.runtime_build import Runtime

_TOKEN = re.compile(
    r"(?P<opens>\b(?:class|struct)\s+[A-Za-z_]\w*[^;{}()]{0,200}\{)|(?P<brace>[{}])"
    r"|\bLocalTensor\s{0,9}<[^;{}()]{1,99}>\s{1,9}(?P<names>[A-Za-z_]\w*[\w\s,\[\]]{0,200});"
)


def tensor_members(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a warning for each file with classes that keep a LocalTensor, at the first one."""
    return _of_files(tuple(sorted(files.items())))


@lru_cache(maxsize=16)  # every launch of a kernel asks again
def _of_files(files: tuple[tuple[str, str], ...]) -> tuple[Diagnostic, ...]:
    found = []
    for file, text in files:
        plain = without_comments(text)
        in_class: list[bool] = []  # of each open brace: it is a class's
        members: list[re.Match[str]] = []
        for token in _TOKEN.finditer(plain):
            if token["opens"] or token["brace"] == "{":
                in_class.append(token["opens"] is not None)
            elif token["brace"]:
                in_class = in_class[:-1]
            elif in_class and in_class[-1]:
                members.append(token)
        if members:
            names = ", ".join(" ".join(m["names"].split()) for m in members)
            found.append(
                Diagnostic(
                    code="TENSOR_MEMBER",
                    text=f"A class keeps tensors as members ({names[:120]}).",
                    file=file,
                    line=plain.count("\n", 0, members[0].start("names")) + 1,
                    severity="warning",
                    stage="compile",
                )
            )
    return tuple(found)


MOST_KEYS = 8  # kernels that are compiled: one for each key


def lint(
    project: KernelProject, runtime: Runtime, cache: Path, chip_file: Path, jobs: int
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the project, each finding once; empty if it compiles."""
    host = build_host(project, runtime, ContentCache(cache / "host"), chip_file, jobs)
    if host.diagnostics:
        return host.diagnostics
    if host.info is not None and (wrong := check_host(project, host.info)):
        return wrong
    op = host.info.op if host.info else None
    kernels = ContentCache(cache / "kernel")
    entry, wrong = check_entry(project, op)
    if entry is None:
        return (*wrong, *beside_entry(project, host.info, wrong, runtime, kernels))
    found: dict[Diagnostic, None] = {}
    for variant in _variants(project, host.info):
        built = build_kernel(project, host.info, variant, runtime, kernels)
        found.update(dict.fromkeys(built.diagnostics))
    return (*found, *tensor_members({p: project.files[p] for p in project.kernel_files}))


# Without these nothing compiles, and what the compiler says is about that alone.
_ALONE = ("KERNEL_FILE", "INCLUDE_MISSING")


def beside_entry(
    project: KernelProject,
    info: HostInfo | None,
    wrong: tuple[Diagnostic, ...],
    runtime: Runtime,
    kernels: ContentCache,
) -> tuple[Diagnostic, ...]:
    """Return what the compiler says, line by line, of a kernel whose entry is `wrong`."""
    if any(d.code in _ALONE for d in wrong):
        return ()
    built = build_kernel(project, info, next(_variants(project, info)), runtime, kernels)
    told = {(d.file, d.line) for d in wrong}
    return tuple(d for d in built.diagnostics if d.line is not None and (d.file, d.line) not in told)


def _variants(project: KernelProject, info: HostInfo | None) -> Iterator[Variant]:
    if info is None or info.op is None:
        yield Variant(None, 0)
        return
    if info.templates and kernel_template(project) is not None:
        for example in info.templates[:MOST_KEYS]:
            yield Variant(_first(info.op), example.key, example.template)
        return
    for key in sorted(keys_of(project) or {0})[:MOST_KEYS]:
        yield Variant(_first(info.op), key)


def _first(op: HostOp) -> Column:
    row, inputs = columns(op)[0], len(op.inputs)
    return Column(
        input_types=tuple(t for t, _ in row[:inputs]),
        input_formats=tuple(f for _, f in row[:inputs]),
        output_types=tuple(t for t, _ in row[inputs:]),
        output_formats=tuple(f for _, f in row[inputs:]),
    )
