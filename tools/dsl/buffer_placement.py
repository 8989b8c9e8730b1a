"""Where each tile lives: transfer queues, plain buffers, and from which block to which.

A loaded tile lives in an input queue from its load to its last use in the same body. A stored tile is written straight
into the output queue where the block before the copyout produces it and nobody needs it later; else it is copied there.
"""

from functools import cached_property
from typing import Literal, TypeVar

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.errors import finding
from akgen.tools.dsl.ir import Block, For, If, Kernel, Load, Op, Stmt, Store
from akgen.tools.dsl.live_ranges import Path, blocks, effect, live_after, touched, touches

Key = tuple[str, int]  # a block: its stage and line


class LoadScope(Frozen):
    """One load of a tile. Dequeued at `take` and freed at `drop`: a compute block, or in Process after a line."""

    tile: str
    tensor: str
    copyin: Key
    take: Key | None  # the compute block that dequeues; None: in Process, right after the copyin
    drop: Key | None  # the compute block that frees; None: in Process, after statement `drop_after`
    drop_after: int | None = None  # index in the body
    blocks: tuple[Key, ...]  # compute blocks that use the tensor
    looped: bool

    @property
    def shared(self) -> bool:
        """Return whether the tensor passes from block to block, and so is a member."""
        return self.take is None or self.take != self.drop


class OutScope(Frozen):
    """One store of a tile, which compute block `block` produces or copies. `direct` is the index of the statement of
    the block from which on the tile is the output tensor itself; None: copied at the end of the block. `fresh`: the
    block computes the tile from nothing, so all of the block works on the output tensor."""

    tile: str
    tensor: str
    block: Key
    copyout: Key
    direct: int | None = None
    fresh: bool = False
    looped: bool


class Placement(Frozen):
    loads: tuple[LoadScope, ...]
    outs: tuple[OutScope, ...]
    buffered: dict[str, Literal["always", "converted", "never"]]  # tile -> when it needs a plain buffer
    diagnostics: tuple[Diagnostic, ...]

    def loads_of(self, tile: str) -> tuple[LoadScope, ...]:
        return self.loads_by_tile.get(tile, ())

    def outs_of(self, tile: str) -> tuple[OutScope, ...]:
        return self.outs_by_tile.get(tile, ())

    @cached_property
    def loads_by_tile(self) -> dict[str, tuple[LoadScope, ...]]:
        return _by_tile(self.loads)

    @cached_property
    def outs_by_tile(self) -> dict[str, tuple[OutScope, ...]]:
        return _by_tile(self.outs)


Scope = TypeVar("Scope", LoadScope, OutScope)


def _by_tile(scopes: tuple[Scope, ...]) -> dict[str, tuple[Scope, ...]]:
    found: dict[str, list[Scope]] = {}
    for scope in scopes:
        found.setdefault(scope.tile, []).append(scope)
    return {tile: tuple(all_) for tile, all_ in found.items()}


def key(block: Block) -> Key:
    return (block.stage, block.line)


def with_staging(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Return the body with a compute block, empty if need be, directly before every copyout."""
    result: list[Stmt] = []
    for s in body:
        match s:
            case Block(stage="copyout"):
                before = result[-1] if result else None
                if not (isinstance(before, Block) and before.stage == "compute"):
                    result.append(Block(line=s.line, stage="compute", body=()))
                result.append(s)
            case For():
                result.append(s.model_copy(update={"body": with_staging(s.body)}))
            case If():
                result.append(
                    s.model_copy(update={"then": with_staging(s.then), "other": with_staging(s.other)})
                )
            case _:
                result.append(s)
    return tuple(result)


def place(kernel: Kernel) -> Placement:
    """Return the placement of a kernel whose body went through `with_staging`."""
    found: list[Diagnostic] = []
    places = list(blocks(kernel.body))
    stores = [
        (path, b, s) for path, b in places if b.stage == "copyout" for s in b.body if isinstance(s, Store)
    ]
    outs = [_out(path, b, s) for path, b, s in stores]
    loads: list[LoadScope] = []
    for path, b in places:
        for s in b.body:
            if b.stage == "copyin" and isinstance(s, Load):
                scope = _load(path, b, s, outs, found)
                if scope is not None:
                    loads.append(scope)
    taken: set[tuple[Key, str]] = set()
    for i, (path, _, s) in enumerate(stores):
        if (outs[i].block, s.tile) not in taken and not live_after(path, s.tile):
            taken.add((outs[i].block, s.tile))
            loaded = any(x.tile == s.tile and outs[i].block in x.blocks for x in loads)
            fresh = not loaded and effect(_before(path).body, s.tile) == "write"
            direct = 0 if fresh else _producer(path, s)
            outs[i] = outs[i].model_copy(update={"direct": direct, "fresh": fresh})
    once: dict[tuple[Key, str, str], OutScope] = {}
    for out in outs:
        once.setdefault(
            (out.block, out.tile, out.tensor), out
        )  # stored several times, it is handed over once
    outs = list(once.values())
    used = _used(places, outs)
    buffered = {t: _buffered(t, used.get(t, []), loads, outs, found) for t in kernel.allocs}
    return Placement(loads=tuple(loads), outs=tuple(outs), buffered=buffered, diagnostics=tuple(found))


def _used(places: list[tuple[Path, Block]], outs: list[OutScope]) -> dict[str, list[Block]]:
    """Return, for each tile, the compute blocks that use it, staging for a copyout included."""
    staged: dict[Key, list[str]] = {}
    for o in outs:
        staged.setdefault(o.block, []).append(o.tile)
    found: dict[str, list[Block]] = {}
    for _, b in places:
        if b.stage == "compute":
            for tile in {*touched(b), *staged.get(key(b), ())}:
                found.setdefault(tile, []).append(b)
    return found


def _in_loop(path: Path) -> bool:
    return any(f.loop for f in path)


def _before(path: Path) -> Block:
    frame = path[-1]
    before = frame.body[frame.at - 1]
    assert isinstance(before, Block)  # with_staging put it there
    return before


def _out(path: Path, block: Block, store: Store) -> OutScope:
    before = key(_before(path))
    return OutScope(
        tile=store.tile, tensor=store.tensor, block=before, copyout=key(block), looped=_in_loop(path)
    )


def _producer(path: Path, store: Store) -> int | None:
    """Return the last operation of the block before the copyout that writes the whole tile, as a plain statement.

    What works in place after it, on the whole tile, finds it in the output tensor.
    """
    last: int | None = None
    for i, s in enumerate(_before(path).body):
        if isinstance(s, Op) and s.dst == store.tile:
            whole = s.written == store.extent and not s.updates
            last = (last if s.name == "mul_add" else i) if whole else None
        elif any(x.dst == store.tile for x in _ops(s)):
            last = None
    return last


def _ops(s: Stmt) -> list[Op]:
    match s:
        case Op():
            return [s]
        case For() | Block():
            return [o for x in s.body for o in _ops(x)]
        case If():
            return [o for x in s.then + s.other for o in _ops(x)]
        case _:
            return []


def _uses(s: Stmt, tile: str, outs: list[OutScope]) -> bool:
    """Return whether a statement (not a copyout) uses the tile, staging for a copyout included."""
    match s:
        case Block(stage="compute"):
            return touches(s, tile) or any(o.block == key(s) and o.tile == tile for o in outs)
        case Block(stage="copyout"):
            return False
        case For():
            return any(_uses(x, tile, outs) for x in s.body)
        case If():
            return any(_uses(x, tile, outs) for x in s.then + s.other)
        case _:
            return touches(s, tile)


def _load(
    path: Path, block: Block, load: Load, outs: list[OutScope], found: list[Diagnostic]
) -> LoadScope | None:
    frame, tile = path[-1], load.tile
    uses: list[int] = []
    for i in range(frame.at + 1, len(frame.body)):
        s = frame.body[i]
        if isinstance(s, Block) and s.stage == "copyin" and touches(s, tile):
            break  # loaded anew
        if any(isinstance(x, Load) and x.tile == tile for _, b in blocks((s,)) for x in b.body):
            if effect((s, *frame.body[i + 1 :]), tile) != "read":
                break  # loaded anew within, and never used as it was
            found.append(
                finding("DSL_LIFETIME", s.line, f"`{tile}` is loaded again inside its own lifetime.")
            )
            return None
        if _uses(s, tile, outs):
            uses.append(i)
    if not uses:
        found.append(finding("DSL_LIFETIME", load.line, f"`{tile}` is loaded and not used in the same body."))
        return None
    first, last = frame.body[uses[0]], frame.body[uses[-1]]
    inner = [
        key(b)
        for i in uses
        for _, b in blocks((frame.body[i],))
        if b.stage == "compute" and _uses(b, tile, outs)
    ]
    return LoadScope(
        tile=tile, tensor=load.tensor, copyin=key(block), blocks=tuple(inner), looped=_in_loop(path),
        take=key(first) if isinstance(first, Block) else None,
        drop=key(last) if isinstance(last, Block) and isinstance(first, Block) else None,
        drop_after=None if isinstance(last, Block) and isinstance(first, Block) else uses[-1],
    )  # fmt: skip


def _buffered(
    tile: str,
    used: list[Block],
    loads: list[LoadScope],
    outs: list[OutScope],
    found: list[Diagnostic],
) -> Literal["always", "converted", "never"]:
    """Decide when the tile needs memory besides its queues; `used` are the compute blocks that use it."""
    loaded = {k for s in loads if s.tile == tile for k in s.blocks}
    direct = {o.block for o in outs if o.tile == tile and o.direct is not None}
    outside = [b for b in used if key(b) not in loaded]
    if loaded:
        for b in outside:
            if effect(b.body, tile) == "read" or not touches(b, tile):
                text = f"`{tile}` is used here, outside the body in which it is loaded."
                found.append(finding("DSL_LIFETIME", b.line, text))
    if all(key(b) in direct and effect(b.body, tile) != "read" for b in outside):
        return "converted" if used else "never"
    return "always"
