"""A program with everything that analysis finds out, once: annotated kernels, placement, UB plans."""

from collections.abc import Collection, Iterator

from akgen.tools.core.frozen import Frozen, kept
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.buffer_placement import Placement, place, with_staging
from akgen.tools.dsl.buffers import UbPlan, plan_buffers
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.expr import ONE, Const, Element, Expr, Func, Read, names_in
from akgen.tools.dsl.expr import walk as walk_expr
from akgen.tools.dsl.ir import (
    Alloc,
    Assign,
    Block,
    For,
    If,
    Kernel,
    Load,
    Op,
    Program,
    Stmt,
    Store,
    SyncAll,
    TileRef,
    assigned,
    holds_sync,
    walk,
)
from akgen.tools.dsl.live_ranges import tiles_of
from akgen.tools.dsl.ops import OPS
from akgen.tools.dsl.show import show

Dims = tuple[Expr, ...]
PARTIAL = frozenset({"unary", "binary", "slope", "cast", "fill", "reduce"})  # what writes rows of a tile


class _Extent:
    """An extent with the versions that its names had; dims None: differs between paths."""

    def __init__(self, dims: Dims | None, versions: dict[str, int]) -> None:
        self.dims = dims
        self.versions = versions


class _Flow:
    def __init__(self, kernel: Kernel) -> None:
        self.allocs = kernel.allocs
        self.versions: dict[str, int] = {}
        self.env: dict[str, _Extent] = {}
        self.found: list[Diagnostic] = []

    def fail(self, code: str, line: int, text: str) -> None:
        diagnostic = finding(code, line, text)
        if diagnostic not in self.found:
            self.found.append(diagnostic)

    def bump(self, names: frozenset[str]) -> None:
        for n in names:
            self.versions[n] = self.versions.get(n, 0) + 1

    def set(self, tile: str, dims: Dims, line: int) -> None:
        if len(dims) != len(self.allocs[tile].dims):
            rank = len(self.allocs[tile].dims)
            self.fail(
                "DSL_SHAPE", line, f"`{tile}` is {rank}-D, but an extent ({_dims(dims)}) is put into it."
            )
        names = frozenset().union(*map(names_in, dims))
        self.env[tile] = _Extent(dims, {n: self.versions.get(n, 0) for n in names})

    def get(self, tile: str, line: int) -> Dims | None:
        extent = self.env.get(tile)
        if extent is None:
            self.fail(
                "DSL_LIFETIME", line, f"`{tile}` is used before anything was loaded or computed into it."
            )
            return None
        if extent.dims is None:
            self.fail(
                "DSL_SHAPE", line, f"The extent of `{tile}` depends on the path taken or on the iteration."
            )
            return None
        stale = [n for n, v in extent.versions.items() if self.versions.get(n, 0) != v]
        if stale:
            text = (
                f"The extent of `{tile}` was set with `{stale[0]}`, which has another value (or none) here."
            )
            self.fail("DSL_SHAPE", line, text)
        return extent.dims

    def body(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(self.statement(s) for s in body)

    def statement(self, s: Stmt) -> Stmt:
        match s:
            case Assign():
                self.bump(frozenset({s.name}))
            case Block():
                return s.model_copy(update={"body": self.body(s.body)})
            case For():
                return self.loop(s)
            case If():
                return self.branch(s)
            case Load():
                self.index(s, s.extent)
                self.set(s.tile, s.extent, s.line)
            case Store():
                extent = self.get(s.tile, s.line)
                self.index(s, extent)
                self.apart(s, extent)
                return s.model_copy(update={"extent": extent})
            case Op(name="gather"):
                return self.gather(s)
            case Op() if OPS[s.name].family == "scatter":
                return self.scatter(s)
            case Op() if OPS[s.name].family in ("sort", "sorted"):
                return self.records(s)
            case Op():
                extent = self.op(s)
                flat = extent is not None and len(extent) == 1 and OPS[s.name].family == "scan"
                return s.model_copy(update={"extent": extent, "axis": "last" if flat else s.axis})
            case _:
                pass
        return s

    def apart(self, s: Store, extent: Dims | None) -> None:
        """Refuse rows of a store that are known to overlap."""
        if extent is None or len(extent) != 2 or s.index is not None:
            return
        match s.stride, extent[1]:
            case Const(value=stride), Const(value=cols) if stride < cols and extent[0] != ONE:
                self.fail(
                    "DSL_SHAPE",
                    s.line,
                    f"Rows of {cols} elements that are {stride} apart overlap in a store.",
                )

    def index(self, s: Load | Store, extent: Dims | None) -> None:
        """Check the tile that says where rows or elements lie: one value each."""
        if s.index is None or extent is None:
            return
        own = self.get(s.index, s.line)
        if own is not None and own != extent[:1]:
            text = f"The index `{s.index}` ({_dims(own)}) does not fit the extent ({_dims(extent)})."
            self.fail("DSL_SHAPE", s.line, text)

    def loop(self, s: For) -> Stmt:
        changed = assigned((s,))
        before, found = dict(self.env), list(self.found)
        self.bump(changed)
        self.body(s.body)  # a first round, to see what the body does to extents
        for tile, extent in before.items():
            after = self.env[tile]
            self.env[tile] = extent if after.dims == extent.dims else _Extent(None, {})
        for tile in self.env.keys() - before.keys():
            del self.env[tile]
        entry, self.found = dict(self.env), found
        self.bump(changed)
        body = self.body(s.body)
        for tile, extent in entry.items():
            if extent.dims is None:
                self.env[tile] = extent
        self.bump(changed)
        return s.model_copy(update={"body": body})

    def branch(self, s: If) -> Stmt:
        before = dict(self.env)
        then = self.body(s.then)
        after_then, self.env = self.env, dict(before)
        other = self.body(s.other)
        for tile, extent in after_then.items():
            mine = self.env.get(tile)
            if mine is None:
                self.env[tile] = extent
            elif mine.dims != extent.dims:
                self.env[tile] = _Extent(None, {})
        self.bump(assigned((s,)))
        return s.model_copy(update={"then": then, "other": other})

    def op(self, s: Op) -> Dims | None:
        """Return what the operation covers (for reductions, its source) and set the destination's extent."""
        family = OPS[s.name].family
        if s.rows is not None:
            return self.part(s)
        if family == "fill":
            return self.fill(s)
        whole = [a.tile for a in s.tiles if a.view == "whole"]
        others = [t for t in whole if t != s.dst] or whole[:1]
        extents = {a.tile: self.operand(a, s.line) for a in s.tiles if a.view == "whole"}
        if not others:
            self.fail(
                "DSL_SHAPE",
                s.line,
                f"`{s.name}` needs at least one tile operand that is not a broadcast view.",
            )
            return None
        extent = extents[others[0]]
        if extent is None:
            return None
        for t in others[1:]:
            if extents[t] is not None and extents[t] != extent:
                text = f"`{others[0]}` has extent ({_dims(extent)}), `{t}` ({_dims(extents[t] or ())})."
                self.fail("DSL_SHAPE", s.line, text)
        self.views(s, extent)
        if family == "transpose" and len(extent) != 2:
            self.fail("DSL_SHAPE", s.line, "transpose takes 2-D tiles.")
        if s.name in ("reduce_first", "reduce_last") and len(extent) != 2:
            self.fail("DSL_SHAPE", s.line, f"`{s.name}` takes a row of a 2-D tile; `{others[0]}` is 1-D.")
        if family in ("reduce", "transpose"):
            self.set(s.dst, s.model_copy(update={"extent": extent}).written or (), s.line)
        elif s.dst in whole and extents[s.dst] != extent:
            own = extents[s.dst] or ()
            if len(own) != len(extent) or own[1:] != extent[1:]:
                self.fail(
                    "DSL_SHAPE",
                    s.line,
                    f"`{s.dst}` ({_dims(own)}) cannot take in ({_dims(extent)}): columns differ.",
                )
        else:
            self.set(s.dst, extent, s.line)
        return extent

    def operand(self, a: TileRef, line: int) -> Dims | None:
        """Return the extent of an operand: of a tile, or of the rows that are taken of it."""
        own = self.get(a.tile, line)
        return own if own is None or a.rows is None else (a.rows[1], *own[1:])

    def part(self, s: Op) -> Dims | None:
        """Check an operation that writes rows of a tile, which keeps its extent; return what the operation covers."""
        assert s.rows is not None
        family, own = OPS[s.name].family, self.get(s.dst, s.line)
        if own is None:
            return None
        if family not in PARTIAL:
            self.fail("DSL_SHAPE", s.line, f"`{s.name}` writes whole tiles, not rows of `{s.dst}`.")
            return None
        want = (s.rows[1], *own[1:])
        whole = [e for a in s.tiles if a.view == "whole" and (e := self.operand(a, s.line)) is not None]
        if family == "fill" and s.given is not None:
            self.fail("DSL_SHAPE", s.line, "A fill of rows covers these rows; it takes no extent.")
        extent = want if family == "fill" else next(iter(whole), None)
        if extent is None:
            self.fail("DSL_SHAPE", s.line, f"`{s.name}` needs a tile operand that is not a broadcast view.")
            return None
        written = s.model_copy(update={"extent": extent}).written
        if written != want or any(e != extent for e in whole):
            found = _dims(next((e for e in whole if e != extent), written or ()))
            self.fail(
                "DSL_SHAPE", s.line, f"The rows of `{s.dst}` are ({_dims(want)}), what is written ({found})."
            )
        self.views(s, extent)
        return extent

    def gather(self, s: Op) -> Op:
        """Set the extent of picked elements: that of the index, for each row of a 2-D source."""
        table, index = (self.get(a.tile, s.line) if isinstance(a, TileRef) else None for a in s.args)
        if table is None or index is None:
            if len(s.tiles) < 2:
                self.fail("DSL_SHAPE", s.line, "gather takes two tiles: what to pick from, and the index.")
            return s
        if len(index) != 1:
            self.fail("DSL_SHAPE", s.line, "The index of gather is 1-D.")
        extent = (*table[:-1], *index)
        self.set(s.dst, extent, s.line)
        return s.model_copy(update={"extent": extent, "source": table})

    def scatter(self, s: Op) -> Op:
        """Check that every element has a place; what is scattered into keeps its extent."""
        index, values = (self.get(a.tile, s.line) if isinstance(a, TileRef) else None for a in s.args)
        own = self.get(s.dst, s.line)
        if len(s.tiles) < 2:
            self.fail("DSL_SHAPE", s.line, f"`{s.name}` takes two tiles: the index, and what goes there.")
        if index is None or values is None or own is None:
            return s
        if index != values or len(index) != 1 or len(own) != 1:
            self.fail("DSL_SHAPE", s.line, f"`{s.name}` takes 1-D tiles, index and elements of one extent.")
        return s.model_copy(update={"extent": index, "source": own})

    def records(self, s: Op) -> Op:
        """Set the extent of sorted records: as wide as the tile; of what is taken from them: as the author says."""
        source = self.get(s.tiles[0].tile, s.line) if s.tiles else None
        width = self.allocs[s.dst].dims[-1:]
        if source is None:
            return s
        if s.name == "keep_top":
            if self.get(s.dst, s.line) != width:
                self.fail("DSL_SHAPE", s.line, f"`{s.dst}` must be filled before records are kept in it.")
            extent = width
        elif s.name == "sort":
            extent = (*source[:-1], *width)
        else:
            extent = s.given or ()
            if not extent or extent[:-1] != source[:-1]:
                self.fail(
                    "DSL_SHAPE", s.line, f"`{s.name}` needs the extent of its result, with the same rows."
                )
        self.set(s.dst, extent, s.line)
        return s.model_copy(update={"extent": extent, "source": source})

    def fill(self, s: Op) -> Dims | None:
        capacity = self.allocs[s.dst].dims
        extent = s.given or capacity
        if s.name == "broadcast" and (s.given is None or len(capacity) != 2):
            self.fail(
                "DSL_SHAPE", s.line, "broadcast takes a 2-D destination, a view, and the extent (n, c)."
            )
        elif s.name == "iota" and len(capacity) != 1:
            self.fail("DSL_SHAPE", s.line, "iota fills 1-D tiles.")
        else:
            self.views(s, extent)
        self.set(s.dst, extent, s.line)
        return extent

    def views(self, s: Op, extent: Dims) -> None:
        for a in s.tiles:
            if a.view == "whole":
                continue
            own = self.operand(a, s.line)
            if own is None:
                continue
            want = extent[:1] if a.view == "column" else extent[1:]
            if len(extent) != 2 or own != want:
                text = (
                    f"The view of `{a.tile}` ({_dims(own)}) does not fit an operation over ({_dims(extent)})."
                )
                self.fail("DSL_SHAPE", s.line, text)


def dead_tiles(kernel: Kernel) -> Iterator[Diagnostic]:
    """Yield uses of tiles in another phase than their own, whose memory is used anew."""
    phases = kernel.phase_of
    for k, body in enumerate(kernel.phases):
        for s in walk(body):
            for tile in sorted(tiles_of(s)):
                if phases.get(tile, k) != k:
                    text = f"`{tile}` is of another phase: `sync_all()` before `alloc_ub` ends the life of tiles."
                    yield finding("DSL_LIFETIME", s.line, text)


def uneven_loops(kernel: Kernel) -> Iterator[Diagnostic]:
    """Yield loops in which cores would not meet as often as each other, or tiles that a loop allocates in no phase."""
    same = kernel.scalars.keys() - assigned(kernel.body)
    for s in walk(kernel.body):
        if not isinstance(s, For):
            continue
        meeting = holds_sync(s)
        if meeting and not all(_is_known(e, same) for e in (s.start, s.stop, s.step)):
            text = "Cores meet in this loop: its bounds are expressions of scalar parameters, the same on every core."
            yield finding("DSL_STAGE", s.line, text)
        for at, x in enumerate(s.body):
            if isinstance(x, Alloc) and not isinstance(s.body[at - 1], (Alloc, SyncAll)):
                text = f"`{x.tile}` is allocated in a loop: there `alloc_ub` follows `sync_all()` directly."
                yield finding("DSL_STAGE", x.line, text)


def _is_known(e: Expr, names: Collection[str]) -> bool:
    """Return whether an expression is one of constants and of these names alone."""
    parts = list(walk_expr(e))
    calls = {x.name for x in parts if isinstance(x, Func)}
    return (
        names_in(e) <= set(names)
        and not calls & {"program_id"}
        and not any(isinstance(x, (Element, Read)) for x in parts)
    )


def _dims(dims: Dims) -> str:
    return ", ".join(map(show, dims))


def annotate(kernel: Kernel) -> tuple[Kernel, tuple[Diagnostic, ...]]:
    """Return the kernel with the extent of every operation and store filled in, and what is wrong with extents."""
    flow = _Flow(kernel)
    body = flow.body(kernel.body)
    return kernel.model_copy(update={"body": body}), tuple(flow.found)


class PreparedKernel(Frozen):
    kernel: Kernel  # extents filled in, staging blocks inserted
    placement: Placement
    plan: UbPlan


@kept
def analyse(kernel: Kernel) -> tuple[PreparedKernel | None, tuple[Diagnostic, ...]]:
    """Return the analysed kernel, None if its extents or lifetimes are wrong, and what was found."""
    dead = (*dead_tiles(kernel), *uneven_loops(kernel))
    if dead:
        return None, dead
    annotated, found = annotate(kernel)
    if found:
        return None, found
    staged = annotated.model_copy(update={"body": with_staging(annotated.body)})
    placement = place(staged)
    if placement.diagnostics:
        return None, placement.diagnostics
    return PreparedKernel(kernel=staged, placement=placement, plan=plan_buffers(staged, placement)), ()


def prepare(program: Program) -> dict[str, PreparedKernel]:
    """Return every kernel analysed, by name; raise DslError if one has wrong extents or lifetimes."""
    result: dict[str, PreparedKernel] = {}
    found: list[Diagnostic] = []
    for k in program.kernels:
        ready, diagnostics = analyse(k)
        found.extend(diagnostics)
        if ready is not None:
            result[k.name] = ready
    if found:
        raise DslError(tuple(found))
    return result
