"""Buffers and barriers: what lets copies and computing overlap."""

import re
from collections.abc import Iterator

from akgen.tools.rewrite.cxx import Source, argument_nodes, read_call, within
from akgen.tools.rewrite.values import Rewrite


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
