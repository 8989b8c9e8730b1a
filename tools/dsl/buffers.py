"""UB memory of a kernel: every buffer with its size as a formula, for the host function, the checker and Init."""

from collections.abc import Callable, Mapping
from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.buffer_placement import Placement
from akgen.tools.dsl.evaluate import Scalar, align_up, evaluate
from akgen.tools.dsl.expr import Expr, Name, names_in
from akgen.tools.dsl.ir import ElementType, Kernel, Load, Op, Store, TileRef, walk
from akgen.tools.dsl.ops import OPS

UB_BYTES = 196608
PLATFORM_BYTES = 256  # which the platform keeps for itself and does not report to tiling functions
RESERVE_BYTES = 8192  # left to the compiler and to APIs that take temporary memory of their own
UB_BUDGET = UB_BYTES - PLATFORM_BYTES - RESERVE_BYTES
ROW_TILE_LIMIT = 2048  # rows per tile: one DataCopyPad moves at most 4095 blocks
SPREAD_ROWS = 128  # rows that a broadcast over rows spreads at a time, a block of 32 bytes each
ROW_LANES = 4096  # scratch of row reductions: 2048 partial results and as many lanes
EVENT_IDS = 8  # per pair of pipes: a free buffer of a queue holds one
SCAN_LANES = 5632  # scratch of scans along rows: transposed columns, and what the pieces of a long row make
LONG_LANES = 2048  # lanes that the reduction of one long row folds to


class UbBuffer(Frozen):
    """`copies` x elements x the largest size among `types`; absent while all of `partners` equal the first type."""

    name: str
    phase: int = 0
    role: Literal["in", "out", "temp"]
    tile: str
    tensor: str | None = None  # of an output queue
    dims: tuple[Expr, ...]
    types: tuple[ElementType, ...]
    copies: int = 1
    partners: tuple[ElementType, ...] = ()


class ScratchNeed(Frozen):
    """What one operation needs: `width` bytes per element of `dims` plus `fixed_bytes`; with `narrow`, only while one
    of those types has one byte (conversions of such types pass through half precision)."""

    why: str
    phase: int = 0
    dims: tuple[Expr, ...] = ()
    width: int = 0
    fixed_bytes: int = 0
    narrow: tuple[ElementType, ...] = ()


class UbPlan(Frozen):
    """All UB memory of a kernel. Scratch is the largest of the needs. `row_types` decide how rows are padded.

    Phases use the same memory one after the other: a kernel takes what its largest phase takes.
    """

    buffers: tuple[UbBuffer, ...]
    scratch: tuple[ScratchNeed, ...]
    row_types: tuple[ElementType, ...]

    @property
    def phases(self) -> tuple[int, ...]:
        return tuple(sorted({0, *(b.phase for b in self.buffers), *(n.phase for n in self.scratch)}))

    def in_phase(self, phase: int) -> "UbPlan":
        """Return what one phase has of it."""
        return UbPlan(
            buffers=tuple(b for b in self.buffers if b.phase == phase),
            scratch=tuple(n for n in self.scratch if n.phase == phase),
            row_types=self.row_types,
        )

    def phases_with(self, param: str) -> tuple[int, ...]:
        """Return the phases in which a buffer's size depends on the parameter."""
        found = {b.phase for b in self.buffers for d in b.dims if param in names_in(d)}
        return tuple(sorted(found)) or self.phases


Types = Callable[[ElementType], DType | Literal["mask"]]


def plan_buffers(kernel: Kernel, placement: Placement) -> UbPlan:
    """Return every buffer of the kernel and the scratch needs of its operations."""
    result: list[UbBuffer] = []
    phases = kernel.phase_of
    for alloc in kernel.allocs.values():
        phase = phases[alloc.tile]
        loads, outs = placement.loads_of(alloc.tile), placement.outs_of(alloc.tile)
        if loads:
            types = tuple(dict.fromkeys(ElementType(of=s.tensor) for s in loads))
            copies = alloc.buffers or (2 if any(s.looped for s in loads) else 1)
            name = f"{alloc.tile}_in"
            result.append(
                UbBuffer(
                    name=name, phase=phase, role="in", tile=alloc.tile, dims=alloc.dims, types=types, copies=copies
                )
            )  # fmt: skip
        need = placement.buffered[alloc.tile]
        if need != "never":
            covered = {k for s in loads for k in s.blocks}
            direct = [s.tensor for s in outs if s.direct is not None and s.block not in covered]
            partners = [ElementType(of=t) for t in dict.fromkeys([*(s.tensor for s in loads), *direct])]
            result.append(
                UbBuffer(
                    name=alloc.tile, phase=phase, role="temp", tile=alloc.tile, dims=alloc.dims, types=(alloc.dtype,),
                    partners=tuple(partners) if need == "converted" else (),
                )
            )  # fmt: skip
        for tensor in dict.fromkeys(s.tensor for s in outs):
            copies = alloc.buffers or (2 if any(s.looped for s in outs if s.tensor == tensor) else 1)
            result.append(
                UbBuffer(
                    name=f"{alloc.tile}_out_{tensor}", phase=phase, role="out", tile=alloc.tile, tensor=tensor,
                    dims=alloc.dims, types=(ElementType(of=tensor),), copies=copies,
                )
            )  # fmt: skip
    spare = {s.tile for s in placement.loads if s.drop_after is not None}
    for phase in sorted(set(phases.values())):
        result = _within_events(result, "in", phase, kernel, spare)
        result = _within_events(result, "out", phase, kernel, set())
    return UbPlan(buffers=tuple(result), scratch=tuple(_scratch(kernel)), row_types=_row_types(kernel))


def _within_events(
    buffers: list[UbBuffer], role: str, phase: int, kernel: Kernel, spare: set[str]
) -> list[UbBuffer]:
    """Give up double buffering where the queues of one side would need more than the chip's 8 event ids.

    First for `spare` tiles, which stay over an inner loop, then for vectors among 2-D tiles, then from the last on.
    """
    mine = [i for i, b in enumerate(buffers) if b.role == role and b.phase == phase]
    total = sum(buffers[i].copies for i in mine)

    def worth(at: int) -> tuple[bool, bool, int]:
        b = buffers[at]
        return (b.tile not in spare, len(b.dims) == 2, -at)

    for at in sorted((i for i in mine if buffers[i].copies > 1), key=worth):
        if total <= EVENT_IDS or kernel.allocs[buffers[at].tile].buffers is not None:
            continue
        total -= buffers[at].copies - 1
        buffers[at] = buffers[at].model_copy(update={"copies": 1})
    return buffers


def queue_buffers(plan: UbPlan, role: str) -> int:
    """Return how many buffers the queues of one side have at a time: each holds an event id while it is free."""
    return max(sum(b.copies for b in plan.in_phase(k).buffers if b.role == role) for k in plan.phases)


def _row_types(kernel: Kernel) -> tuple[ElementType, ...]:
    tiles = {t: a.dtype for t, a in kernel.allocs.items() if len(a.dims) == 2 and a.dtype.fixed != "mask"}
    moved = [
        ElementType(of=s.tensor)
        for s in walk(kernel.body)
        if isinstance(s, (Load, Store)) and s.tile in tiles
    ]
    return tuple(dict.fromkeys([*tiles.values(), *moved]))


def _scratch(kernel: Kernel) -> list[ScratchNeed]:
    needs: list[ScratchNeed] = []
    for phase, body in enumerate(kernel.phases):
        mine: list[ScratchNeed] = []
        for s in walk(body):
            match s:
                case Op():
                    mine.extend(_op_scratch(kernel, s))
                case Load() | Store():
                    alloc = kernel.allocs[s.tile]
                    ends = (ElementType(of=s.tensor), alloc.dtype)
                    mine.append(ScratchNeed(why="conversion of bytes", dims=alloc.dims, width=2, narrow=ends))
                case _:
                    pass
        needs += [n.model_copy(update={"phase": phase}) for n in mine]
    return list(dict.fromkeys(needs))


def _op_scratch(kernel: Kernel, op: Op) -> list[ScratchNeed]:
    info, dims = OPS[op.name], kernel.allocs[op.dst].dims
    needs: list[ScratchNeed] = []
    if info.family == "reduce":
        rows = len(kernel.allocs[op.tiles[0].tile].dims) == 2
        folded = op.name == "reduce_prod" or kernel.allocs[op.dst].dtype.fixed == DType.INT32
        lanes = ROW_LANES if rows or folded else LONG_LANES
        needs.append(ScratchNeed(why=op.name, fixed_bytes=4 * lanes))
    if info.family == "gather":
        needs.append(ScratchNeed(why="offsets in bytes", dims=dims, width=4))
    if info.family == "scan" and op.axis == "last":
        needs.append(ScratchNeed(why=op.name, fixed_bytes=4 * SCAN_LANES))
    if info.family == "sort":
        needs.append(ScratchNeed(why=op.name, dims=dims[-1:], width=8))
    if info.family == "transpose":
        needs.append(ScratchNeed(why=op.name, fixed_bytes=512))
    if any(a.view == "column" for a in op.tiles):
        blocks = SPREAD_ROWS + (info.family == "fused")  # and one for the factor
        needs.append(ScratchNeed(why="broadcast over rows", fixed_bytes=4 * 8 * blocks))
    value_first = op.name == "div" and not isinstance(op.args[0], TileRef)
    if value_first or op.name in ("rsqrt", "reciprocal", "sigmoid"):
        needs.append(ScratchNeed(why=op.name, fixed_bytes=256))
    if op.name == "where" and not isinstance(op.args[1], TileRef) and op.args[2] == TileRef(tile=op.dst):
        needs.append(ScratchNeed(why=op.name, dims=dims, width=4))
    if op.name == "power" and not all(isinstance(a, TileRef) for a in op.args):
        needs.append(ScratchNeed(why="a scalar operand of power", dims=dims, width=20))
    elif info.scratch_tiles:
        needs.append(ScratchNeed(why=op.name, dims=dims, width=4 * info.scratch_tiles))
    return needs


def row_alignment(plan: UbPlan, types: Types) -> int:
    """Return the multiple of elements to which rows of 2-D tiles are padded: 32 bytes of the narrowest type."""
    return 32 // min((_size(types(t)) for t in plan.row_types), default=4)


def _size(t: DType | Literal["mask"]) -> int:
    return 1 if t == "mask" else t.size_bytes


def bytes_of(b: UbBuffer, dims: tuple[int, ...], alignment: int, types: Types) -> int:
    """Return what the buffer takes for these capacities, all copies; 0 if it is absent."""
    own = types(b.types[0])
    if b.partners and all(types(p) == own for p in b.partners):
        return 0
    elements = dims[0] if len(dims) == 1 else dims[0] * align_up(dims[1], alignment)
    one = align_up(elements, 256) // 8 if own == "mask" else elements * max(_size(types(t)) for t in b.types)
    return b.copies * align_up(one, 256)


def scratch_bytes(plan: UbPlan, names: Mapping[str, Scalar], alignment: int, types: Types) -> int:
    """Return the size of the scratch buffer, 0 if none is needed."""
    largest = 0
    for n in plan.scratch:
        if n.narrow and all(_size(types(t)) > 1 for t in n.narrow):
            continue
        dims = [int(evaluate(d, names)) for d in n.dims]
        elements = 0 if not dims else dims[0] if len(dims) == 1 else dims[0] * align_up(dims[1], alignment)
        largest = max(largest, n.width * align_up(elements, 64) + n.fixed_bytes)
    return align_up(largest, 256)


def phase_bytes(plan: UbPlan, phase: int, names: Mapping[str, Scalar], types: Types) -> int:
    """Return the UB bytes that one phase takes with these parameter values and dtypes."""
    alignment, mine = row_alignment(plan, types), plan.in_phase(phase)
    total = scratch_bytes(mine, names, alignment, types)
    for b in mine.buffers:
        total += bytes_of(b, tuple(int(evaluate(d, names)) for d in b.dims), alignment, types)
    return total


def largest_fit(plan: UbPlan, param: str, names: Mapping[str, Scalar], types: Types, budget: int) -> int:
    """Return the largest value of a capacity parameter that fits into `budget` bytes, as fit_tile defines it."""
    step, limit = fit_step(plan, param)
    phases = plan.phases_with(param)
    low, high = 0, limit // step
    while low < high:
        middle = (low + high + 1) // 2
        given = {**names, param: middle * step}
        if all(phase_bytes(plan, k, given, types) <= budget for k in phases):
            low = middle
        else:
            high = middle - 1
    return low * step


def fit_step(plan: UbPlan, param: str) -> tuple[int, int]:
    """Return the step and the limit of a capacity parameter: rows of 2-D tiles count by one, lengths by 64."""
    rows = any(len(b.dims) == 2 and b.dims[0] == Name(id=param) for b in plan.buffers)
    return (1, ROW_TILE_LIMIT) if rows else (64, UB_BYTES)
