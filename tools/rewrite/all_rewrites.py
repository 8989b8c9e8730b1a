"""Every change of structure that a kernel file allows, and the places that look slow and were left."""

from collections.abc import Iterator

from akgen.tools.core.project import KernelProject
from akgen.tools.rewrite.loops import vector_loops, whole_calls
from akgen.tools.rewrite.transfers import hoisted_calls, hoisted_loads, merged_transfers
from akgen.tools.rewrite.values import Rewrite
from akgen.tools.rewrite.waits import second_buffers, without_barriers

_RULES = (
    vector_loops,
    whole_calls,
    merged_transfers,
    hoisted_calls,
    hoisted_loads,
    second_buffers,
    without_barriers,
)


def rewrites(text: str) -> Iterator[Rewrite]:
    """Yield what can be changed in a kernel file, and, with a `problem`, what cannot."""
    for rule in _RULES:
        yield from rule(text)


def left_places(project: KernelProject) -> Iterator[str]:
    """Yield the places of a kernel that look slow and cannot be changed here, each with the reason."""
    for path in project.kernel_files:
        for rewrite in rewrites(project.files[path]):
            if rewrite.problem is not None:
                yield f"{path}:{rewrite.line}: {rewrite.problem}"
