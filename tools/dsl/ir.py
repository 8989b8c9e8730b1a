"""A DSL program: kernels, host function, statements. Plain data; nothing here checks meaning.

`line` counts from 1 in the program's text; it is 0 in what has not been printed yet.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen, InstanceOf
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.dsl.expr import ZERO, Arithmetic, Const, Expr, ScalarType

Stage = Literal["copyin", "compute", "copyout", "cube"]
Rounding = Literal["rint", "floor", "ceil", "round", "trunc", "bits"]
View = Literal["whole", "column", "row"]


class ElementType(Frozen):
    """A tile's element type: fixed, a mask, or that of a tensor parameter (`x.dtype`).

    `native(x.dtype)` is float16 where the tensor is float16, which operations take as it is, else float32.
    """

    fixed: DType | Literal["mask"] | None = None
    of: str | None = None
    native: bool = False

    def __str__(self) -> str:
        if self.fixed is not None:
            return str(self.fixed)
        return f"native({self.of}.dtype)" if self.native else f"{self.of}.dtype"

    def where(self, dtype: DType) -> DType:
        """Return the type where the tensor has this dtype."""
        return DType.FLOAT32 if self.native and dtype != DType.FLOAT16 else dtype


Rows = tuple[Expr, Expr]  # of a tile: the first one, and how many


class TileRef(Frozen):
    """A tile as an operand; `column` is `s[:, None]` (one value per row), `row` is `g[None, :]`. With `rows` it is
    a part, `t[first : first + count]`; of a 1-D tile, these elements."""

    tile: str
    view: View = "whole"
    rows: Rows | None = None


Operand = Annotated[TileRef | Expr, InstanceOf(TileRef, Arithmetic)]


class Statement(Frozen):
    line: int = 0


class Alloc(Statement):
    tile: str
    dims: tuple[Expr, ...]  # capacity: (length,) or (rows, cols)
    dtype: ElementType
    buffers: int | None = None


class Assign(Statement):
    name: str
    value: Expr


class Op(Statement):
    """A compute operation. `extent` is what it covers; the extent analysis fills it in. With `rows` it writes these
    rows of `dst` only."""

    name: str
    dst: str
    args: tuple[Operand, ...]
    given: tuple[Expr, ...] | None = None  # an extent that the author wrote
    axis: Literal["last", "first", "all"] = "last"
    rounding: Rounding = "rint"
    reverse: bool = False  # of a scan: from the last element to the first
    rows: Rows | None = None
    extent: tuple[Expr, ...] | None = None  # of the sources, for reductions
    source: tuple[Expr, ...] | None = None  # gather, sort, sorted_*: the extent of what it picks from

    @property
    def tiles(self) -> tuple[TileRef, ...]:
        """Return the source tiles."""
        return tuple(a for a in self.args if isinstance(a, TileRef))

    @property
    def updates(self) -> bool:
        """Return whether the operation changes only a part of what its destination holds."""
        return self.rows is not None or self.name == "keep_top" or self.name.startswith("scatter")

    @property
    def written(self) -> tuple[Expr, ...] | None:
        """Return the extent of what the operation writes."""
        if self.extent is not None and self.name == "transpose":
            return self.extent[::-1]
        if self.extent is None or not self.name.startswith("reduce_"):
            return self.extent
        if self.axis == "all" or len(self.extent) == 1:
            return (Const(value=1),)
        return self.extent[:1] if self.axis == "last" else self.extent[1:]


Bounds = tuple[Expr, Expr]


class Load(Statement):
    """`rows` and `columns` bound what is read of the extent; elsewhere the tile holds `fill`. `index` is a tile that
    gives for each row of a 2-D extent, for each element of a 1-D one, which multiple of `stride` it starts at."""

    tile: str
    tensor: str
    offset: Expr
    extent: tuple[Expr, ...]
    stride: Expr | None = None
    item: Expr | None = None  # which tensor, where `tensor` is a list
    rows: Bounds | None = None
    columns: Bounds | None = None
    fill: Expr | None = None
    index: str | None = None

    @property
    def guarded(self) -> bool:
        return self.rows is not None or self.columns is not None


class Store(Statement):
    """`extent` is the tile's, filled in by the extent analysis. `index` is as in Load, of a 2-D tile's rows; with
    `add`, the elements are added to what the tensor holds."""

    tensor: str
    offset: Expr
    tile: str
    stride: Expr | None = None
    extent: tuple[Expr, ...] | None = None
    item: Expr | None = None
    index: str | None = None
    add: bool = False


class SyncAll(Statement):
    """All cores meet."""


class MatmulObject(Statement):
    """What multiplies blocks of two tensors on the cube core: at most `dims` (m, n, k) elements at a time."""

    name: str
    a: str
    b: str
    c: str
    bias: str | None = None
    dims: tuple[Expr, Expr, Expr]
    transpose_a: bool = False
    transpose_b: bool = False


class Multiply(Statement):
    """C (m, n) = A (m, k) x B (k, n) + bias, in global memory. Offsets and row strides are in elements.

    A row stride that is absent is the width of what is stored: rows adjoin.
    """

    object: str
    extent: tuple[Expr, Expr, Expr]  # m, n, k
    a: Expr = ZERO
    b: Expr = ZERO
    c: Expr = ZERO
    bias: Expr = ZERO
    lda: Expr | None = None
    ldb: Expr | None = None
    ldc: Expr | None = None
    accumulate: bool = False  # C += what is computed, atomically
    wait: bool = True  # else the core goes on at once, and C is there after `WaitFor`

    @property
    def numbers(self) -> tuple[Expr, ...]:
        """Return all expressions of the statement."""
        strides = (x for x in (self.lda, self.ldb, self.ldc) if x is not None)
        return (*self.extent, self.a, self.b, self.c, self.bias, *strides)


class WaitFor(Statement):
    """All products that the object was asked for are there."""

    object: str


class Block(Statement):
    stage: Stage
    body: tuple["Stmt", ...]


class For(Statement):
    var: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple["Stmt", ...]


class If(Statement):
    cond: Expr
    then: tuple["Stmt", ...]
    other: tuple["Stmt", ...] = ()


class Assert(Statement):
    cond: Expr
    text: str


class DimList(Frozen):
    """A written shape: `(a, b)`."""

    dims: tuple[Expr, ...]


class DimSlice(Frozen):
    """`x.shape[start:stop]`."""

    tensor: str
    start: Expr | None = None
    stop: Expr | None = None


class BroadcastOf(Frozen):
    """`broadcast_shapes(x.shape, y.shape)`."""

    tensors: tuple[str, ...]


class ShapesOf(Frozen):
    """`xs.shapes`: the shapes of a list of tensors."""

    tensor: str


ShapePart = DimList | DimSlice | BroadcastOf | ShapesOf


class Declare(Statement):
    """The shape (parts joined) and dtype of an output."""

    output: str
    parts: tuple[ShapePart, ...]
    dtype: ElementType


class Workspace(Statement):
    name: str
    count: Expr
    dtype: DType


class Launch(Statement):
    """`key` is the tiling key: 1 for the first kernel of the text, and so on."""

    kernel: str
    key: int
    cores: Expr
    args: tuple[Expr, ...]


Stmt = Annotated[
    Alloc | MatmulObject | Assign | Op | Load | Store | Multiply | WaitFor | SyncAll | Block | For | If | Assert
    | Declare | Workspace | Launch,
    InstanceOf(Statement),
]  # fmt: skip
for _model in (Block, For, If):
    _model.model_rebuild()


def begins_phase(body: tuple[Stmt, ...], at: int) -> bool:
    """Return whether the statement is a `sync_all()` after which new tiles are allocated."""
    return isinstance(body[at], SyncAll) and at + 1 < len(body) and isinstance(body[at + 1], Alloc)


def holds_sync(s: Stmt) -> bool:
    """Return whether it is a loop in whose body all cores meet."""
    return isinstance(s, For) and any(isinstance(x, SyncAll) for x in walk(s.body))


def _phases(body: tuple[Stmt, ...]) -> list[list[Stmt]]:
    found: list[list[Stmt]] = [[]]
    for at, s in enumerate(body):
        if isinstance(s, For) and holds_sync(s):
            before, *inner = _phases(s.body)
            found[-1] += before
            found += inner
        else:
            if begins_phase(body, at):
                found.append([])
            found[-1].append(s)
    return found


class KernelParam(Frozen):
    name: str
    type: ScalarType | Literal["tensor", "list"]


class Kernel(Frozen):
    line: int = 0
    name: str
    doc: str
    params: tuple[KernelParam, ...]
    body: tuple[Stmt, ...]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a changed copy, for which what is kept of the body is found anew."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("allocs", "phases", "phase_of"):
            copied.__dict__.pop(name, None)
        return copied

    @property
    def tensors(self) -> tuple[str, ...]:
        """Return the tensor parameters, lists included."""
        return tuple(p.name for p in self.params if p.type in ("tensor", "list"))

    @property
    def lists(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.params if p.type == "list")

    @property
    def scalars(self) -> dict[str, ScalarType]:
        return {p.name: p.type for p in self.params if p.type != "tensor" and p.type != "list"}

    @cached_property
    def allocs(self) -> dict[str, Alloc]:
        return {s.tile: s for s in walk(self.body) if isinstance(s, Alloc)}

    @property
    def moved(self) -> frozenset[str]:
        """Return the tensors that tiles are loaded from or stored to."""
        return frozenset(s.tensor for s in walk(self.body) if isinstance(s, (Load, Store)))

    @property
    def loaded(self) -> frozenset[str]:
        """Return the tensors that tiles are loaded from or products read."""
        found = {s.tensor for s in walk(self.body) if isinstance(s, Load)}
        for o in self.objects.values():
            found |= {o.a, o.b} | ({o.bias} if o.bias is not None else set())
        return frozenset(found)

    @property
    def put(self) -> frozenset[str]:
        """Return the tensors that tiles are stored to."""
        return frozenset(s.tensor for s in walk(self.body) if isinstance(s, Store))

    @property
    def stored(self) -> frozenset[str]:
        """Return the tensors that tiles or products are stored to."""
        return self.put | {self.objects[s.object].c for s in walk(self.body) if isinstance(s, Multiply)}

    @property
    def objects(self) -> dict[str, MatmulObject]:
        """Return the Matmul objects; a kernel that has one runs on cube cores, too."""
        return {s.name: s for s in self.body if isinstance(s, MatmulObject)}

    @cached_property
    def phases(self) -> tuple[tuple[Stmt, ...], ...]:
        """Return the body cut into phases: one begins at a `sync_all()` that `alloc_ub` follows directly.

        Those of a loop's body follow one another, too; the loop itself is in none of them.
        """
        return tuple(map(tuple, _phases(self.body)))

    @cached_property
    def phase_of(self) -> dict[str, int]:
        """Return the phase in which each tile lives."""
        return {s.tile: k for k, body in enumerate(self.phases) for s in body if isinstance(s, Alloc)}


HostParamKind = Literal[
    "input", "optional", "dynamic", "output", "dynamic_output", "int", "float", "bool", "list_int", "list_float", "str",
    "list_bool",
]  # fmt: skip
# annotation in the text -> kind
HOST_KINDS: dict[str, HostParamKind] = {
    "Tensor": "input", "OptionalTensor": "optional", "Output": "output", "int": "int", "float": "float", "bool": "bool",
    "list_int": "list_int", "list_float": "list_float", "TensorList": "dynamic", "OutputList": "dynamic_output",
    "str": "str", "list_bool": "list_bool",
}  # fmt: skip


class HostParam(Frozen):
    name: str
    kind: HostParamKind
    default: AttrValue = None


class Host(Frozen):
    line: int = 0
    name: str
    doc: str
    params: tuple[HostParam, ...]
    body: tuple[Stmt, ...]

    def named(self, *kinds: HostParamKind) -> tuple[str, ...]:
        return tuple(p.name for p in self.params if p.kind in kinds)

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.named("input", "optional", "dynamic")

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.named("output", "dynamic_output")

    @property
    def attrs(self) -> tuple[HostParam, ...]:
        return tuple(p for p in self.params if p.name not in self.inputs + self.outputs)


class Program(Frozen):
    """A program; `text` is what was parsed."""

    text: str
    kernels: tuple[Kernel, ...]
    host: Host

    def kernel(self, name: str) -> Kernel:
        return next(k for k in self.kernels if k.name == name)


def walk(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Yield every statement in text order, those within loops, branches and blocks included."""
    for s in body:
        yield s
        match s:
            case For() | Block():
                yield from walk(s.body)
            case If():
                yield from walk(s.then)
                yield from walk(s.other)


def assigned(body: tuple[Stmt, ...]) -> frozenset[str]:
    """Return the scalar names that a body sets, loop variables included."""
    names = {s.name for s in walk(body) if isinstance(s, Assign)}
    return frozenset(names | {s.var for s in walk(body) if isinstance(s, For)})
