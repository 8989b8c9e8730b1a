"""From an address in a compiled library to the project's file and line."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import ResourceLimits, run_sandboxed
from akgen.tools.twin.runtime_build import Runtime

# Candidate code decides what stands in its library, debug information included.
_LIMITS = ResourceLimits(cpu_s=20, address_bytes=4 << 30, file_bytes=1 << 20, open_files=64)
_PROJECT = re.compile(r"(?:^|/)(op_(?:kernel|host)/[^:]+):(\d{1,9})(?!\d)")
_ADDRESS = re.compile(r"0x[0-9a-f]{1,16}")
MOST_CHARACTERS = 1 << 22


def place_of(runtime: Runtime, library: Path, offset: int) -> tuple[str, int] | None:
    """Return (file, line), the innermost frame that lies in the project; None if it cannot be told."""
    return places_of(runtime, library, (offset,)).get(offset)


def places_of(
    runtime: Runtime, library: Path, offsets: Iterable[int], *, where: re.Pattern[str] = _PROJECT
) -> dict[int, tuple[str, int]]:
    """Resolve several addresses in one run of addr2line. An address is that of an instruction, not a return address.

    `where` picks file and line out of a frame; frames that it does not match are passed over.
    """
    wanted = tuple(sorted({o for o in offsets if o > 0}))
    if not wanted or runtime.compiler.addr2line is None:
        return {}
    return dict(_resolve(runtime, runtime.compiler.addr2line, library, wanted, where))


@lru_cache(maxsize=256)
def _resolve(
    runtime: Runtime, tool: Path, library: Path, offsets: tuple[int, ...], where: re.Pattern[str]
) -> tuple[tuple[int, tuple[str, int]], ...]:
    found: list[tuple[int, tuple[str, int]]] = []
    for start in range(0, len(offsets), 400):
        part = offsets[start : start + 400]
        command: list[str | Path] = [tool, "-a", "-i", "-f", "-C", "-e", library, *(hex(o) for o in part)]
        done = run_sandboxed(
            command,
            sandbox=runtime.sandbox,
            read=(tool.parent, library.parent),
            write=(),
            limits=_LIMITS,
            cwd=library.parent,
            timeout_s=30,
            env={**MINIMAL_ENV, **runtime.sandbox_env},
            output_limit_bytes=1 << 22,
        )
        found += frames(done.out, where)
    return tuple(found)


def frames(said: str, where: re.Pattern[str] = _PROJECT) -> list[tuple[int, tuple[str, int]]]:
    """Read what addr2line says: an address, then for each frame a line with its function and one with its place.

    Candidate code chooses the names of functions and files, so what has not that form is passed over.
    """
    found, current, named = [], None, False
    for line in said[:MOST_CHARACTERS].split("\n"):
        named = not named
        if named and _ADDRESS.fullmatch(line):
            current, named = int(line, 16), False
        elif current is not None and not named and (match := where.search(line[:4096])):
            found.append((current, (match[1], int(match[2]))))
            current = None
    return found
