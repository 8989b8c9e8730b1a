"""Blocks, loops and branches of a kernel as C++: tensors taken from queues, operations, tensors given back."""

from collections.abc import Callable, Iterator

from akgen.tools.dsl.buffer_placement import LoadScope, OutScope, key
from akgen.tools.dsl.code import Lines
from akgen.tools.dsl.emit_ops import OpPrinter
from akgen.tools.dsl.expr import Const, Expr, Func, Name, binary
from akgen.tools.dsl.ir import Assign, Block, For, If, Load, Op, Stmt, Store, assigned
from akgen.tools.dsl.kernel_context import KernelContext
from akgen.tools.dsl.live_ranges import touched
from akgen.tools.dsl.show import show

Body = Callable[[tuple[Stmt, ...]], None]


def emit_loop(context: KernelContext, out: Lines, loop: For, body: Body) -> None:
    """Write a counting loop; `body` writes what is in it."""
    text = context.expr.text
    var, step = context.scalar(loop.var), text(loop.step)
    advance = f"++{var}" if step == "1" else f"{var} += {step}"
    goes_on = text(binary("<", Name(id=loop.var), loop.stop))
    out.open(f"for (int64_t {var} = {text(loop.start)}; {goes_on}; {advance})")
    body(loop.body)
    out.close()


def emit_branch(context: KernelContext, out: Lines, branch: If, body: Body) -> None:
    """Write an if with its else; `body` writes what is in either."""
    out.open(f"if ({context.expr.text(branch.cond)})")
    body(branch.then)
    if branch.other:
        out.depth -= 1
        out.open("} else")
        body(branch.other)
    out.close()


BLOCK_ELEMENTS = 32  # elements of any type that surely are whole blocks of 32 bytes


def whole_blocks(e: Expr) -> bool:
    """Return whether a length is known to be a multiple of 32 bytes in every type."""
    match e:
        case Const():
            return isinstance(e.value, int) and e.value % BLOCK_ELEMENTS == 0
        case Func(name="align_up", args=(_, Const(value=int(unit)))):
            return unit % BLOCK_ELEMENTS == 0
        case _:
            return False


class BlockPrinter:
    """Prints one compute block."""

    def __init__(self, ctx: KernelContext, out: Lines) -> None:
        self.ctx, self.out = ctx, out
        self.scopes: list[dict[str, str]] = [{}]  # extent (DSL text) -> constant, per C++ scope
        self.numbered = 0

    def taken(self, scope: LoadScope) -> Iterator[tuple[str, str, str]]:
        """Yield name, element type and value of the tensors that dequeue a loaded tile: as it comes, as it is used."""
        raw_type, kind = self.ctx.tensor_type(scope.tensor), self.ctx.tile_type(scope.tile)
        queue, buffer = self.ctx.queue("in", scope.tile), self.ctx.buffer(scope.tile)
        raw, tile = self.raw_name(scope), self.tile_name(scope)
        yield raw, raw_type, f"{queue}.DeQue<{raw_type}>()"
        if raw_type != kind:
            count = self.ctx.elements(self.load_of(scope).extent)
            yield tile, kind, f"{self.ctx.lib('TileLoaded')}<{kind}>({raw}, {buffer}, scratch_, {count})"
        elif tile != raw:
            yield tile, kind, raw

    def compute(self, b: Block) -> None:
        """Print the block."""
        here = key(b)
        loads = [s for s in self.ctx.placement.loads if here in s.blocks]
        outs = {(o.tile, o.tensor): o for o in self.ctx.placement.outs if o.block == here}
        self.names = self.ctx.tile_names = {}
        for s in loads:
            if s.take == here and not s.shared:
                for name, kind, value in self.taken(s):
                    self.out.add(f"LocalTensor<{kind}> {name} = {value};")
            self.names[s.tile] = self.tile_name(s)
        stores = {(s.tile, s.tensor): s for s in self.stores_of(list(outs.values()))}
        for o in outs.values():
            if o.fresh:
                self.fresh(o)
        used = touched(b) | {o.tile for o in outs.values()}
        for tile in self.ctx.kernel.allocs:
            if tile not in self.names and tile in used:
                kind = self.ctx.tile_type(tile)
                name = self.names[tile] = self.ctx.local(tile)
                self.out.add(f"LocalTensor<{kind}> {name} = {self.ctx.buffer(tile)}.Get<{kind}>();")
        switches: dict[int, list[OutScope]] = {}
        for o in outs.values():
            if o.direct is not None and not o.fresh:
                switches.setdefault(o.direct, []).append(o)
        for i, statement in enumerate(b.body):
            self.statement(statement, switches.get(i, []))
        for at, o in outs.items():
            self.finish(o, stores[at])
        for s in loads:
            if s.drop == here:
                raw = self.raw_name(s)
                self.out.add(f"{self.ctx.queue('in', s.tile)}.FreeTensor({raw});")

    def tile_name(self, s: LoadScope) -> str:
        return self.ctx.held(s.tile) if s.shared else self.ctx.local(s.tile)

    def raw_name(self, s: LoadScope) -> str:
        if s.shared:
            return self.ctx.held_raw(s.tile, s.tensor)
        same = self.ctx.tensor_type(s.tensor) == self.ctx.tile_type(s.tile)
        return self.ctx.local(s.tile) if same else self.ctx.local(s.tile, "raw")

    def load_of(self, scope: LoadScope) -> Load:
        copyin = self.ctx.blocks[scope.copyin]
        return next(x for x in copyin.body if isinstance(x, Load) and x.tile == scope.tile)

    def stores_of(self, outs: list[OutScope]) -> list[Store]:
        keys = {o.copyout for o in outs}
        blocks = [b for k, b in self.ctx.blocks.items() if k in keys]
        return [s for b in blocks for s in b.body if isinstance(s, Store)]

    def alloc_out(self, o: OutScope) -> str:
        kind, name = self.ctx.tensor_type(o.tensor), self.ctx.local_out(o.tile, o.tensor)
        queue = self.ctx.queue("out", o.tile, o.tensor)
        self.out.add(f"LocalTensor<{kind}> {name} = {queue}.AllocTensor<{kind}>();")
        return name

    def same(self, o: OutScope) -> bool:
        return self.ctx.tensor_type(o.tensor) == self.ctx.tile_type(o.tile)

    def fresh(self, o: OutScope) -> None:
        """Let the whole block compute the tile in the output tensor."""
        name = self.alloc_out(o)
        if self.same(o):
            self.names[o.tile] = name
            return
        kind, tile = self.ctx.tile_type(o.tile), self.ctx.local(o.tile)
        target = f"{self.ctx.lib('TileTargetIn')}<{kind}>({name}, {self.ctx.buffer(o.tile)})"
        self.out.add(f"LocalTensor<{kind}> {tile} = {target};")
        self.names[o.tile] = tile

    def switch(self, o: OutScope) -> str:
        """Return the tensor into which the producing operation writes."""
        name = self.alloc_out(o)
        if self.same(o):
            return name
        kind, new = self.ctx.tile_type(o.tile), self.ctx.local(o.tile, "new")
        target = f"{self.ctx.lib('TileTarget')}<{kind}>({name}, {self.names[o.tile]})"
        self.out.add(f"LocalTensor<{kind}> {new} = {target};")
        return new

    def finish(self, o: OutScope, store: Store) -> None:
        """Bring the tile into the output tensor, if it is not there, and hand it over."""
        name = self.ctx.local_out(o.tile, o.tensor)
        if o.direct is None:
            self.alloc_out(o)
        if not (o.direct is not None and self.same(o)):
            count = self.count(store.extent or ())
            api = self.ctx.lib("TilePut" if o.direct is None else "TileFinish")
            self.out.add(f"{api}({name}, {self.names[o.tile]}, scratch_, {count});")
        self.out.add(f"{self.ctx.queue('out', o.tile, o.tensor)}.EnQue({name});")

    def count(self, extent: tuple[Expr, ...]) -> str:
        """Return a constant that holds the number of elements of an extent, declaring it on first use in this scope."""
        text = ",".join(map(show, extent))
        for scope in self.scopes:
            if text in scope:
                return scope[text]
        if len(extent) == 1 and isinstance(extent[0], Const):
            return str(extent[0].value)
        self.numbered += 1
        name = self.ctx.names.of(
            f"count {self.numbered}", "count" if self.numbered == 1 else f"count{self.numbered}"
        )
        self.out.add(f"const int32_t {name} = static_cast<int32_t>({self.ctx.elements(extent)});")
        self.scopes[-1][text] = name
        return name

    def forget(self, names: frozenset[str]) -> None:
        """Drop counts that depend on scalars that change."""
        for scope in self.scopes:
            for text in [t for t in scope if any(n in t.replace(",", " ").split() or n in t for n in names)]:
                del scope[text]

    def body(self, body: tuple[Stmt, ...]) -> None:
        self.scopes.append({})
        for s in body:
            self.statement(s, [])
        self.scopes.pop()

    def statement(self, s: Stmt, switches: list[OutScope]) -> None:
        text = self.ctx.expr.text
        match s:
            case Op():
                self.op(s, switches)
            case Assign():
                name = self.ctx.scalar(s.name)
                self.out.add(f"{name} = {text(s.value)};")
                self.forget(frozenset({s.name}))
            case For():
                self.forget(assigned((s,)))
                emit_loop(self.ctx, self.out, s, self.body)
            case If():
                emit_branch(self.ctx, self.out, s, self.body)
            case _:
                raise AssertionError(f"{type(s).__name__} does not occur in compute blocks")

    def op(self, s: Op, switches: list[OutScope]) -> None:
        dst = self.names[s.dst]
        for o in switches:
            dst = self.switch(o)
        OpPrinter(self.ctx, self.out, self.count).emit(s, dst)
        self.names[s.dst] = dst
