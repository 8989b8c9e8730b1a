"""Every change of structure that a kernel file allows, and the places that look slow and were left.

Here stand buffers and barriers: what lets copies and computing overlap.
"""

import re
from collections.abc import Iterator

from akgen.tools.core.project import KernelProject
from akgen.tools.rewrite.cxx import Source, argument_nodes, read_call, within
from akgen.tools.rewrite.loops import vector_loops, whole_calls
from akgen.tools.rewrite.transfers import hoisted_calls, hoisted_loads, merged_transfers
from akgen.tools.rewrite.values import Rewrite


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


def second_buffers(text: str) -> Iterator[Rewrite]:
    """Yield the file with two buffers in every queue that has one, as a literal says."""
    source = Source(text)
    single = []
    for node in within(source.root, "call_expression"):
        call = read_call(source, node)
        if (
            call is not None
            and call.name == "InitBuffer"
            and len(call.arguments) == 3
            and call.arguments[1] == "1"
        ):
            single.append(argument_nodes(node)[1])
    if single:
        yield Rewrite(
            kind="buffers",
            line=source.line(single[0]),
            text=f"two buffers in {len(single)} queues that have one",
            source=source.edited([(n.start_byte, n.end_byte, "2") for n in single]),
        )


def without_barriers(text: str) -> Iterator[Rewrite]:
    """Yield the file without barriers over all pipes: without any, and without each one alone."""
    source = Source(text)
    found = []
    for node in within(source.root, "expression_statement"):
        if re.fullmatch(
            r"(?:AscendC::)?(?:PipeBarrier<\s*PIPE_ALL\s*>\(\)|pipe_barrier\(\s*PIPE_ALL\s*\));",
            source.text(node),
        ):
            found.append(node)
    choices = [found, *([n] for n in found if len(found) > 1)]
    for chosen in choices:
        if chosen:
            yield Rewrite(
                kind="barrier",
                line=source.line(chosen[0]),
                share=len(chosen) / len(found),
                text=f"without {len(chosen)} barriers over all pipes"
                if len(chosen) > 1
                else f"without the barrier in line {source.line(chosen[0])}",
                source=source.edited([(n.start_byte, n.end_byte, "") for n in chosen]),
            )


_RULES = (
    vector_loops,
    whole_calls,
    merged_transfers,
    hoisted_calls,
    hoisted_loads,
    second_buffers,
    without_barriers,
)
