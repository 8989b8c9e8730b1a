"""Pass 3, compute: Process, and one function per stage block; SyncAll where the author asks for it.

Queue cycles (AllocTensor, EnQue, DeQue, FreeTensor) follow the placement; copies stay data for pass 4.
"""

from collections.abc import Iterator, Mapping

from akgen.tools.dsl.buffer_placement import LoadScope, key
from akgen.tools.dsl.code import CopyCall, Function, KernelCode, Line, Lines, function_names
from akgen.tools.dsl.cube import own_objects, product_lines, wait_lines
from akgen.tools.dsl.emit_block import BlockPrinter, emit_branch, emit_loop, whole_blocks
from akgen.tools.dsl.expr import ONE, ZERO, Binary, Expr, Name, names_in
from akgen.tools.dsl.ir import (
    Alloc,
    Assign,
    Block,
    For,
    If,
    Load,
    MatmulObject,
    Multiply,
    Op,
    Stmt,
    Store,
    SyncAll,
    WaitFor,
    walk,
)
from akgen.tools.dsl.kernel_context import SCALAR_CPP, KernelContext
from akgen.tools.dsl.prefetch import values_at
from akgen.tools.dsl.scalar_names import expressions


def kernel_code(ctx: KernelContext) -> KernelCode:
    """Return the functions of a kernel class, Process first."""
    return _Process(ctx).code()


def _named(line: Line, calls: Mapping[str, str]) -> Line:
    """Return a line of Process with the name of the function that it calls."""
    called = next((c for c in calls if isinstance(line.content, str) and line.content.startswith(c)), None)
    if called is None:
        return line
    assert isinstance(line.content, str)
    return line.model_copy(update={"content": calls[called] + line.content.removeprefix(called)})


class _Process:
    def __init__(self, ctx: KernelContext) -> None:
        self.ctx = ctx
        self.out = Lines()
        self.blocks: list[Block] = []
        self.functions: list[Function] = []  # of the blocks
        self.reloaded = ctx.kernel.loaded & ctx.kernel.put
        self.syncs = False
        self.starts = [body[0].line for body in ctx.kernel.phases[1:]]
        self.declared: list[set[str]] = []  # tiles that functions are given, by C++ scope of Process

    def code(self) -> KernelCode:
        for name in sorted(self.ctx.hoisted):
            kind = SCALAR_CPP[self.ctx.types[name]]
            self.out.add(f"{kind} {self.ctx.scalar(name)} = 0;")
        self.body(self.ctx.kernel.body)
        for o in own_objects(self.ctx):
            self.out.add(f"{self.ctx.object(o.name)}.End();")
        names = function_names(self.blocks, self.functions, self.ctx.placement)
        calls = {self.called(b): names[key(b)] for b in self.blocks}
        process = Function(
            name="Process", params=(), lines=tuple(_named(line, calls) for line in self.out.lines)
        )
        pairs = zip(self.blocks, self.functions, strict=True)
        named = dict.fromkeys(f.model_copy(update={"name": names[key(b)]}) for b, f in pairs)
        return KernelCode(
            class_name=self.ctx.class_name, functions=(process, *named),
            library=tuple(sorted(self.ctx.library | self.ctx.expr.used)), syncs=self.syncs,
        )  # fmt: skip

    def body(self, body: tuple[Stmt, ...]) -> None:
        drops: dict[int, list[LoadScope]] = {}
        self.declared.append(set())
        for i, s in enumerate(body):
            self.statement(s)
            if isinstance(s, Block) and s.stage == "copyin":
                for scope in self.ctx.placement.loads:
                    if scope.copyin == key(s) and scope.take is None:
                        self.take(scope)
                    if scope.copyin == key(s) and scope.drop_after is not None:
                        drops.setdefault(scope.drop_after, []).append(scope)
            for scope in drops.get(i, []):
                self.out.add(
                    f"{self.ctx.queue('in', scope.tile)}.FreeTensor({self.ctx.held_raw(scope.tile, scope.tensor)});"
                )
        self.declared.pop()

    def take(self, scope: LoadScope) -> None:
        """Dequeue a tile that several blocks' functions are given."""
        for name, kind, value in BlockPrinter(self.ctx, self.out).taken(scope):
            known = any(name in names for names in self.declared)
            self.out.add(f"{name} = {value};" if known else f"LocalTensor<{kind}> {name} = {value};")
            self.declared[-1].add(name)

    def statement(self, s: Stmt) -> None:
        match s:
            case Alloc() | MatmulObject():
                pass
            case Assign():
                self.assign(s)
            case For():
                self.loop(s)
            case If():
                emit_branch(self.ctx, self.out, s, self.body)
            case SyncAll():
                self.syncs = True
                self.out.add("SyncAll();")
                if s.line in self.starts:
                    self.out.add(f"BeginPhase{self.starts.index(s.line) + 2}();")
            case Block():
                self.block(s)
            case _:
                raise AssertionError(f"{type(s).__name__} does not occur here")

    def loop(self, s: For) -> None:
        """Print a loop. Where it asks for the next tile before it computes this one, the first is asked for before."""
        ahead = next((b for b in s.body if isinstance(b, Block) and key(b) in self.ctx.ahead), None)
        if ahead is not None:
            self.out.open(f"if ({self.ctx.expr.text(Binary(op='<', left=s.start, right=s.stop))})")
            self.out.add(self.call(ahead, values_at(s, s.start)))
            self.out.close()
        emit_loop(self.ctx, self.out, s, self.body)

    def next_call(self, b: Block) -> None:
        """Print the call of a copyin block for the next iteration of its loop, if there is one."""
        loop = self.ctx.ahead[key(b)]
        after = Name(id=f"next {loop.var}")
        name = self.ctx.names.of(after.id, "next")
        step = Binary(op="+", left=Name(id=loop.var), right=loop.step)
        self.out.add(f"const int64_t {name} = {self.ctx.expr.text(step)};")
        self.out.open(f"if ({self.ctx.expr.text(Binary(op='<', left=after, right=loop.stop))})")
        self.out.add(self.call(b, values_at(loop, after)) + " // on its way while this one is computed")
        self.out.close()

    def call(self, b: Block, values: Mapping[str, Expr]) -> str:
        """Return the call of a copyin block with what its scalars are at another place."""
        said = [self.ctx.expr.text(values.get(n, Name(id=n))) for n in self.used(b)]
        return f"{self.called(b)}({', '.join(said)});"

    def assign(self, s: Assign) -> None:
        name, value = self.ctx.scalar(s.name), self.ctx.expr.text(s.value)
        if s.name in self.ctx.hoisted or s.name in self.ctx.members:
            self.out.add(f"{name} = {value};")
        else:
            self.out.add(f"const {SCALAR_CPP[self.ctx.types[s.name]]} {name} = {value};")

    def block(self, b: Block) -> None:
        """Print the call of a block's function, and the function."""
        if b.stage == "copyin" and any(isinstance(s, Load) and s.tensor in self.reloaded for s in b.body):
            self.out.add(f"{self.ctx.lib('TileWaitStores')}();")
        here = key(b)
        for scope in self.ctx.placement.loads:
            if scope.shared and scope.take == here:
                self.take(scope)
        used = self.used(b)
        tiles = dict(self.tiles(b))
        arguments = [self.ctx.scalar(n) for n in used]
        if here in self.ctx.ahead:
            self.next_call(b)
        else:
            self.out.add(f"{self.called(b)}({', '.join((*arguments, *tiles))});")
        lines = Lines()
        write = {
            "copyin": self.copy_in, "compute": self.compute, "copyout": self.copy_out, "cube": self.multiply,
        }  # fmt: skip
        write[b.stage](b, lines)
        params = [f"{SCALAR_CPP[self.ctx.types[n]]} {a}" for n, a in zip(used, arguments, strict=True)]
        params += [f"LocalTensor<{kind}>& {tile}" for tile, kind in tiles.items()]
        self.blocks.append(b)
        self.functions.append(
            Function(name="", params=tuple(params), lines=tuple(lines.lines), stage=b.stage)
        )

    @staticmethod
    def called(b: Block) -> str:
        """Return what stands for the name of a block's function until all functions are known."""
        stage, line = key(b)
        return f"<{stage} {line}>"

    def tiles(self, b: Block) -> Iterator[tuple[str, str]]:
        """Yield name and type of each tile that the block's function is given: what several blocks use."""
        for scope in self.ctx.placement.loads:
            if not scope.shared:
                continue
            if key(b) in scope.blocks:
                yield self.ctx.held(scope.tile), self.ctx.tile_type(scope.tile)
            if scope.drop == key(b):
                yield self.ctx.held_raw(scope.tile, scope.tensor), self.ctx.tensor_type(scope.tensor)

    def used(self, b: Block) -> list[str]:
        """Return the scalars of Process that the block's function needs, in the order of their first use."""
        taken = [s for s in self.ctx.placement.loads if key(b) == s.take and not s.shared]
        outs = [o for o in self.ctx.placement.outs if key(b) == o.block]
        printer = BlockPrinter(self.ctx, Lines())
        moves: list[Load | Store] = [*map(printer.load_of, taken), *printer.stores_of(outs)]
        found: list[Expr] = [e for m in moves for e in m.extent or ()]
        for s in walk(b.body):
            found += expressions(s)
            if isinstance(s, (Op, Store)):
                found += s.extent or ()
            if isinstance(s, Op):
                found += s.source or ()
        inside = {s.var for s in walk(b.body) if isinstance(s, For)}
        outside = inside | self.ctx.kernel.scalars.keys() | self.ctx.members
        names = dict.fromkeys(n for e in found for n in sorted(names_in(e)))
        return [n for n in names if n not in outside]

    def copy_in(self, b: Block, lines: Lines) -> None:
        for s in b.body:
            assert isinstance(s, Load)
            tile, kind, queue = (
                self.ctx.local(s.tile),
                self.ctx.tensor_type(s.tensor),
                self.ctx.queue("in", s.tile),
            )
            lines.add(f"LocalTensor<{kind}> {tile} = {queue}.AllocTensor<{kind}>();")
            lines.add(self.copy("in", tile, s))
            lines.add(f"{queue}.EnQue({tile});")

    def copy_out(self, b: Block, lines: Lines) -> None:
        pending = [s for s in b.body if isinstance(s, Store)]
        for tile, tensor in dict.fromkeys((s.tile, s.tensor) for s in pending):
            name, kind = self.ctx.local_out(tile, tensor), self.ctx.tensor_type(tensor)
            queue = self.ctx.queue("out", tile, tensor)
            lines.add(f"LocalTensor<{kind}> {name} = {queue}.DeQue<{kind}>();")
            for s in pending:
                if (s.tile, s.tensor) == (tile, tensor):
                    lines.add(self.copy("out", name, s))
            lines.add(f"{queue}.FreeTensor({name});")

    def multiply(self, b: Block, lines: Lines) -> None:
        for s in b.body:
            match s:
                case Multiply():
                    made = product_lines(self.ctx, s)
                case WaitFor():
                    made = wait_lines(self.ctx, s.object)
                case _:
                    raise AssertionError(f"{type(s).__name__} does not occur in cube blocks")
            for line in made:
                lines.add(line)

    def copy(self, direction: str, local: str, s: Load | Store) -> CopyCall:
        extent = s.extent or ()
        rows = len(extent) == 2
        cols = self.ctx.expr.text(extent[-1])
        text = self.ctx.expr.text
        adjoining = cols if rows else "1"
        pitch = adjoining if s.stride is None else text(s.stride)
        inside, fill = None, None
        if isinstance(s, Load) and s.guarded:
            r0, r1 = s.rows or (ZERO, extent[0] if rows else ONE)
            c0, c1 = s.columns or (ZERO, extent[-1])
            inside, fill = (text(r0), text(r1), text(c0), text(c1)), text(s.fill or ZERO)
        return CopyCall(
            direction="in" if direction == "in" else "out", local=local,
            remote=self.ctx.gm_at(s.tensor, s.item), at=text(s.offset), extent=tuple(map(text, extent)),
            pitch=pitch if rows or s.index is not None else None, stride=f"RowStride({cols})" if rows else None,
            blocks=not rows and s.index is None and whole_blocks(extent[0]), inside=inside, fill=fill,
            index=None if s.index is None else f"{self.ctx.buffer(s.index)}.Get<int32_t>()",
            add=self.ctx.tensor_type(s.tensor) if isinstance(s, Store) and s.add else None,
        )  # fmt: skip

    def compute(self, b: Block, lines: Lines) -> None:
        BlockPrinter(self.ctx, lines).compute(b)
