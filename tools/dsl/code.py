"""Kernel code between passes 3 and 4: functions whose copies are still data."""

from typing import Literal

from akgen.tools.core.frozen import Frozen


class CopyCall(Frozen):
    """A transfer of a tile. Texts are C++; `blocks` says that the length is known to be whole blocks of 32 bytes."""

    direction: Literal["in", "out"]
    local: str
    remote: str  # the global tensor at its offset
    extent: tuple[str, ...]
    pitch: str | None  # elements between rows in global memory
    stride: str | None  # elements between rows in the tile
    blocks: bool


class Line(Frozen):
    depth: int
    content: str | CopyCall


class Function(Frozen):
    name: str
    params: tuple[str, ...]
    lines: tuple[Line, ...]


class KernelCode(Frozen):
    """What a kernel class does: Process first, then its blocks."""

    class_name: str
    functions: tuple[Function, ...]
    library: tuple[str, ...]  # sections of the device library
    syncs: bool  # all cores wait for each other


class Lines:
    """Lines under construction."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.depth = 0

    def add(self, content: str | CopyCall) -> None:
        self.lines.append(Line(depth=self.depth, content=content))

    def open(self, head: str) -> None:
        self.add(head + " {")
        self.depth += 1

    def close(self, tail: str = "}") -> None:
        self.depth -= 1
        self.add(tail)
