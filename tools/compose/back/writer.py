"""One kernel being written: parameters, buffers with reuse, statements."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from akgen.tools.compose.back.tile_names import chosen, renamed, strings_in
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import Expr, Name, ScalarType, constant
from akgen.tools.dsl.ir import (
    Alloc,
    Assign,
    Block,
    Bounds,
    ElementType,
    For,
    If,
    Kernel,
    KernelParam,
    Load,
    MatmulObject,
    Multiply,
    Op,
    Operand,
    Rounding,
    Rows,
    Stage,
    Stmt,
    Store,
    SyncAll,
    TileRef,
    WaitFor,
)

# full, per row, per column, single, (rows, 1), parts, turned; wide rows to pick from, indices of rows and of columns
Extent = Literal["F", "R", "C", "S", "K", "P", "Q", "T", "W", "I", "J"]
Shape = tuple[Expr, ...]
Tensor = tuple[str, Expr | None]  # a parameter; of a list, which of its tensors


NATIVE = "native "  # before the name of a tensor: the type of tiles that are computed in its own half type
# what a buffer is called whose uses do not agree
_NAMES: dict[Extent, str] = {
    "F": "t", "R": "per_row", "C": "per_column", "S": "single", "K": "column", "P": "parts", "Q": "column_parts",
    "T": "turned", "W": "wide", "I": "row_index", "J": "column_index",
}  # fmt: skip


class Tile:
    """A buffer: its extent class and element type; `loaded` tiles are targets of loads and never shared otherwise.

    `name` is provisional; `wishes` are what its uses would call it.
    """

    def __init__(
        self, name: str, extent: Extent, dtype: str, capacity: Shape, phase: int, *, loaded: bool
    ) -> None:
        self.wishes: list[str] = []
        self.name, self.extent, self.dtype, self.phase, self.loaded = name, extent, dtype, phase, loaded
        self.capacity = capacity
        self.scope = 0  # the loop or branch in which it was loaded last
        self.ref = TileRef(tile=name)

    @property
    def view(self) -> TileRef:
        """Return the tile as an operand of something wider: one value per row, or per column."""
        return TileRef(tile=self.name, view="column" if self.extent == "R" else "row")


_Form = tuple[Extent, str, Shape, bool]  # extent class, type, capacity, whether it is loaded


def _element_type(text: str) -> ElementType:
    if text.startswith(NATIVE):
        return ElementType(of=text.removeprefix(NATIVE), native=True)
    return ElementType(fixed="mask" if text == "mask" else DType(text))


def _mul_add(product: Stmt, total: Op) -> Op | None:
    """Return one operation for `t = t * w` and `t = t + v` with vectors along the columns, as norms end in."""
    if not (isinstance(product, Op) and product.name == "mul" and total.name == "add"):
        return None
    whole = TileRef(tile=total.dst)
    vectors = [a for op in (product, total) for a in op.args if isinstance(a, TileRef) and a.view == "row"]
    if len(vectors) != 2 or any(
        op.dst != total.dst or whole not in op.args or op.rows or op.given != total.given
        for op in (product, total)
    ):
        return None
    return total.model_copy(update={"name": "mul_add", "args": (whole, vectors[1], vectors[0])})


def _beginning(phase: int) -> Alloc:
    """Return what stands where the buffers of a phase are allocated until they are known."""
    return Alloc(tile=f"phase {phase}", dims=(), dtype=_element_type("float32"))


def _allocated(body: Iterable[Stmt], tiles: Mapping[Stmt, list[Stmt]]) -> Iterator[Stmt]:
    """Yield a body with the buffers of each phase where it begins, in loops, too."""
    for s in body:
        if isinstance(s, Alloc):
            yield from tiles.get(s, ())
        else:
            yield s.model_copy(update={"body": tuple(_allocated(s.body, tiles))}) if isinstance(s, For) else s


class Writer:
    """Collect a kernel's parameters, allocations and body."""

    def __init__(self) -> None:
        self.frugal = False  # single numbers are read without a tile, in the nest being written
        self.floats = self.halves = "float32"  # the types of tiles of floats, in the nest being written
        self.capacities: dict[Extent, Shape] = {}  # of each extent class; set for each loop nest
        self.tensors: list[str] = []
        self.lists: set[str] = set()
        self.scalars: dict[str, tuple[ScalarType, Expr]] = {}  # parameter -> (type, host expression)
        self._holders: dict[tuple[ScalarType, Expr], str] = {}  # and back
        self.tiles: list[Tile] = []
        self._objects: list[MatmulObject] = []
        self._body: list[Stmt] = []
        # tiles given back, of each form in the order in which they were
        self._free: dict[_Form, dict[Tile, None]] = {}
        self._counts: dict[str, int] = {}
        self._values: dict[str, Tile] = {}  # variables that hold a tile's number
        self._joins = True  # the next block may join the one before it
        self._stored: dict[int, set[tuple[str, str]]] = {}  # by phase: tiles and where they are stored
        self._scopes = [0]  # the open loops and branches, outermost first
        self._scope_count = 0
        self.phase = 0

    # statements

    def assign(self, name: Name, value: Expr) -> None:
        self._body.append(Assign(name=name.id, value=value))

    def sync(self) -> None:
        """Let all cores wait for each other."""
        self._body.append(SyncAll())
        self.close_stage()

    def begin_phase(self) -> None:
        """Let all cores wait for each other, and go on with new buffers."""
        self.sync()
        self.phase += 1
        self._body.append(_beginning(self.phase))
        self._free = {}

    def loaded_in(self, phase: int) -> int:
        """Return how many buffers of a phase are targets of loads."""
        return sum(t.loaded and t.phase == phase for t in self.tiles)

    def stored_in(self, phase: int) -> int:
        """Return how many buffers of a phase hand tiles to stores."""
        return len(self._stored.get(phase, ()))

    def buffers_in(self, phase: int) -> int:
        """Return how many buffers a phase has, at most: tiles that are loaded or stored have two more each."""
        tiles = sum(t.phase == phase for t in self.tiles)
        return tiles + 2 * self.loaded_in(phase) + 2 * self.stored_in(phase)

    def most_buffers(self) -> int:
        """Return how many buffers one phase has, at most."""
        return max(self.buffers_in(phase) for phase in range(self.phase + 1))

    def load(
        self,
        tile: Tile,
        tensor: Tensor,
        offset: Expr,
        extent: Shape,
        stride: Expr | None = None,
        *,
        rows: Bounds | None = None,
        columns: Bounds | None = None,
        fill: Expr | None = None,
        index: Tile | None = None,
    ) -> None:
        name, item = tensor
        self._body.append(
            Load(
                tile=tile.name, tensor=name, item=item, offset=offset, extent=extent, stride=stride, rows=rows,
                columns=columns, fill=fill, index=None if index is None else index.name,
            )
        )  # fmt: skip

    def store(
        self,
        tensor: Tensor,
        offset: Expr,
        tile: Tile,
        stride: Expr | None = None,
        *,
        index: Tile | None = None,
        add: bool = False,
    ) -> None:
        name, item = tensor
        self._stored.setdefault(self.phase, set()).add((tile.name, name))
        self._body.append(
            Store(
                tensor=name, item=item, offset=offset, tile=tile.name, stride=stride, add=add,
                index=None if index is None else index.name,
            )
        )  # fmt: skip

    def op(
        self,
        name: str,
        dst: Tile,
        *args: Operand,
        extent: Shape | None = None,
        axis: Literal["last", "first", "all"] = "last",
        rounding: Rounding = "rint",
        reverse: bool = False,
        rows: Rows | None = None,
    ) -> None:
        written = Op(
            name=name, rows=rows, dst=dst.name, args=args, given=extent, axis=axis, rounding=rounding,
            reverse=reverse,
        )  # fmt: skip
        fused = _mul_add(self._body[-1], written) if self._body and dst.dtype == "float32" else None
        if fused is not None:
            self._body.pop()
        self._body.append(fused or written)

    def matmul_object(self, **fields: object) -> str:
        """Allocate what multiplies matrices; the fields are those of MatmulObject but its name."""
        name = self.unique("mm")
        self._objects.append(MatmulObject.model_validate({"name": name, **fields}))
        return name

    def multiply(self, product: Multiply) -> None:
        self._body.append(product)

    def wait(self, name: str) -> None:
        """Let the core go on when all is there that an object was asked for."""
        self._body.append(WaitFor(object=name))

    @contextmanager
    def _collected(self) -> Iterator[list[Stmt]]:
        outer, self._body = self._body, []
        yield self._body
        self._body = outer

    @contextmanager
    def _scope(self) -> Iterator[list[Stmt]]:
        """Collect what is written in a loop or branch."""
        self._scope_count += 1
        self._scopes.append(self._scope_count)
        with self._collected() as body:
            yield body
        self._scopes.pop()

    @contextmanager
    def loop(self, var: Name, start: Expr | int, stop: Expr, step: Expr | int = 1) -> Iterator[None]:
        """Write a loop around what follows; an empty one leaves no trace."""
        with self._scope() as body:
            yield
        if body:
            first, by = constant(start), constant(step)
            self._body.append(For(var=var.id, start=first, stop=stop, step=by, body=tuple(body)))

    @contextmanager
    def branch(self, cond: Expr) -> Iterator[None]:
        """Write what follows under a condition; nothing leaves no trace."""
        with self._scope() as body:
            yield
        if body:
            self._body.append(If(cond=cond, then=tuple(body)))

    @contextmanager
    def stage(self, name: Stage) -> Iterator[None]:
        """Write a copyin, compute or copyout block; an empty one leaves no trace, adjoining ones become one."""
        last = self._body[-1] if self._body and self._joins else None
        with self._collected() as body:
            yield
        if not body:
            return
        if isinstance(last, Block) and last.stage == name:
            self._body.pop()
            body[:0] = last.body
        self._body.append(Block(stage=name, body=tuple(body)))
        self._joins = True

    def close_stage(self) -> None:
        """Forbid joining the next block with the last one."""
        self._joins = False

    def unique(self, prefix: str) -> str:
        self._counts[prefix] = self._counts.get(prefix, -1) + 1
        return f"{prefix}{self._counts[prefix]}"

    # parameters

    def type_name(self, dtype: DType) -> str:
        """Return the type of tiles that hold values of a lane type."""
        return {DType.INT32: "int32", DType.BOOL: "mask", DType.FLOAT16: self.halves}.get(dtype, self.floats)

    def tensor(self, name: str, position: Expr | None = None) -> Tensor:
        """Return a tensor parameter; with `position`, an element of a list."""
        if name not in self.tensors:
            self.tensors.append(name)
        if position is not None:
            self.lists.add(name)
        return name, position

    def scalar(self, value: Expr, kind: ScalarType) -> Name:
        """Return the kernel parameter that holds a host expression."""
        if isinstance(value, Name) and kind == "int":
            return self.variable(value)
        return self._known(value, kind) or self._parameter(
            self.unique("f" if kind == "float" else "k"), value, kind
        )

    def variable(self, name: Name) -> Name:
        """Return the kernel parameter that holds an integer variable of the host; a new one has the same name."""
        return self._known(name, "int") or self._parameter(name.id, name, "int")

    def _known(self, value: Expr, kind: ScalarType) -> Name | None:
        name = self._holders.get((kind, value))
        return None if name is None else Name(id=name)

    def _parameter(self, name: str, value: Expr, kind: ScalarType) -> Name:
        self.scalars[name] = (kind, value)
        self._holders.setdefault((kind, value), name)
        return Name(id=name)

    # buffers

    def allocate(self, extent: Extent, dtype: str, *, loaded: bool = False, wish: str = "") -> Tile:
        """Return a buffer of this class and type, reusing a released one; `wish` is what it should be called.

        What is loaded before a loop lives to the end of the loop: no load inside reuses its buffer.
        """
        capacity = self.capacities[extent]
        free = self._free.get((extent, dtype, capacity, loaded), {})
        tile = next((t for t in free if self._serves(t, wish)), None)
        if tile is None:
            tile = Tile(f"#{len(self.tiles)}", extent, dtype, capacity, self.phase, loaded=loaded)
            self.tiles.append(tile)
        else:
            del free[tile]
        tile.wishes.append(wish)
        tile.scope = self._scopes[-1]
        return tile

    def _serves(self, tile: Tile, wish: str) -> bool:
        """Return whether a free buffer may be used; single numbers are short, so each has its own name."""
        if tile.loaded and tile.scope in self._scopes[:-1]:
            return False
        return tile.extent != "S" or set(tile.wishes) == {wish}

    def value_of(self, tile: Tile) -> Name:
        """Return a new variable for the number that a tile holds."""
        name = self.unique(f"{tile.name}.")
        self._values[name] = tile
        return Name(id=name)

    def release(self, tile: Tile) -> None:
        """Give a buffer back."""
        self._free.setdefault((tile.extent, tile.dtype, tile.capacity, tile.loaded), {}).setdefault(tile)

    def kernel(self, name: str, doc: str, *, single_buffers: bool = False) -> Kernel:
        """Return the kernel. With `single_buffers`, no tile has two copies."""
        tensors = [KernelParam(name=t, type="list" if t in self.lists else "tensor") for t in self.tensors]
        scalars = [KernelParam(name=n, type=kind) for n, (kind, _) in self.scalars.items()]
        buffers = 1 if single_buffers else None
        tiles: dict[Stmt, list[Stmt]] = {}
        for t in self.tiles:
            alloc = Alloc(tile=t.name, dims=t.capacity, buffers=buffers, dtype=_element_type(t.dtype))
            tiles.setdefault(_beginning(t.phase), []).append(alloc)
        body = (*self._objects, *_allocated((_beginning(0), *self._body), tiles))
        named = renamed(body, self._names())
        return Kernel(name=name, doc=doc, params=(*tensors, *scalars), body=named)

    def _names(self) -> dict[str, str]:
        """Return the names of buffers and of their numbers, given now that all uses are known."""
        taken = strings_in(tuple(self._body)) | set(self.tensors) | set(self.scalars)
        names: dict[str, str] = {}
        for tile in self.tiles:
            kind = {"mask": "mask_", "int32": "int_"}.get(tile.dtype, "")
            names[tile.name] = chosen(tile.wishes, kind + _NAMES[tile.extent], taken)
        for variable, tile in self._values.items():
            names[variable] = chosen((f"{names[tile.name]}_value",), "", taken)
        return names
