"""The text of one kernel being written: parameters, buffers with reuse, lines with their indentation."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Extent = Literal["F", "R", "C", "S", "K", "P", "Q"]  # full, per row, per column, single, (rows, 1), parts


class Tile:
    """A buffer: its extent class and element type; `loaded` tiles are targets of loads and never shared otherwise."""

    def __init__(self, name: str, extent: Extent, dtype: str, capacity: str, *, loaded: bool) -> None:
        self.name, self.extent, self.dtype, self.loaded = name, extent, dtype, loaded
        self.capacity = capacity


class Writer:
    """Collect a kernel's parameters, allocations and body."""

    def __init__(self, *, frugal: bool = False) -> None:
        self.frugal = frugal  # single numbers are read without a tile
        self.capacities: dict[Extent, str] = {}  # of each extent class, as DSL text; set for each loop nest
        self.tensors: list[str] = []
        self.lists: set[str] = set()
        self.scalars: dict[str, tuple[str, str]] = {}  # parameter -> (type, host expression)
        self.tiles: list[Tile] = []
        self.lines: list[str] = []
        self._free: list[Tile] = []
        self._depth = 1
        self._counts: dict[str, int] = {}
        self._stage: str | None = None

    # lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def indented(self, header: str) -> Iterator[None]:
        """Write a header that ends in a colon and indent what follows."""
        self.line(header)
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.lines.pop()
        self._depth -= 1

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Write a copyin, compute or copyout block; an empty one leaves no trace, adjoining ones become one."""
        header = f"with {name}():"
        if self._stage == self._key(name):
            self._depth += 1
            yield
            self._depth -= 1
            return
        with self.indented(header):
            before = len(self.lines)
            yield
            wrote = len(self.lines) > before
        self._stage = self._key(name) if wrote else self._stage

    def _key(self, name: str) -> str:
        return f"{name}/{self._depth}"

    def close_stage(self) -> None:
        """Forbid joining the next block with the last one."""
        self._stage = None

    def unique(self, prefix: str) -> str:
        self._counts[prefix] = self._counts.get(prefix, -1) + 1
        return f"{prefix}{self._counts[prefix]}"

    # parameters

    def tensor(self, name: str, position: str | None = None) -> str:
        """Return how a tensor parameter is written; with `position`, an element of a list."""
        if name not in self.tensors:
            self.tensors.append(name)
        if position is None:
            return name
        self.lists.add(name)
        return f"{name}[{position}]"

    def scalar(self, text: str, kind: str, *, own: bool = False) -> str:
        """Return the kernel parameter that holds a host expression; with `own`, a variable keeps its name."""
        for name, (known, expression) in self.scalars.items():
            if expression == text and known == kind:
                return name
        name = text if own else self.unique("f" if kind == "float" else "k")
        self.scalars[name] = (kind, text)
        return name

    # buffers

    def allocate(self, extent: Extent, dtype: str, *, loaded: bool = False) -> Tile:
        """Return a buffer of this class and type, reusing a released one."""
        capacity = self.capacities[extent]
        for tile in self._free:
            if (tile.extent, tile.dtype, tile.capacity, tile.loaded) == (extent, dtype, capacity, loaded):
                self._free.remove(tile)
                return tile
        prefix = {"F": "t", "R": "r", "C": "c", "S": "s", "K": "k", "P": "p", "Q": "q"}[extent]
        if dtype == "mask":
            prefix = "m" + ("" if extent == "F" else prefix)
        elif dtype == "int32":
            prefix = "i" + ("" if extent == "F" else prefix)
        tile = Tile(self.unique(("x_" if loaded else "") + prefix), extent, dtype, capacity, loaded=loaded)
        self.tiles.append(tile)
        return tile

    def release(self, tile: Tile) -> None:
        """Give a buffer back."""
        if tile not in self._free:
            self._free.append(tile)

    def text(self, name: str, doc: str, *, single_buffers: bool = False) -> str:
        """Return the kernel function. With `single_buffers`, no tile has two copies."""
        tensors = [f"{t}: TensorList" if t in self.lists else t for t in self.tensors]
        params = [*tensors, *(f"{n}: {kind}" for n, (kind, _) in self.scalars.items())]
        end = "\n    " if "\n" in doc else ""
        head = ["@ascend_kernel", f"def {name}({', '.join(params)}):", f'    """{doc}{end}"""']
        copies = ", buffers=1" if single_buffers else ""
        allocs = [f"    {t.name} = alloc_ub({t.capacity}, {t.dtype}{copies})" for t in self.tiles]
        return "\n".join([*head, *allocs, *self.lines]) + "\n"

    def arguments(self) -> str:
        """Return the launch's arguments: tensors and scalar expressions in the order of the parameters."""
        return ", ".join([*self.tensors, *(text for _, text in self.scalars.values())])
