"""Statements of kernels."""

import ast
from collections.abc import Sequence
from typing import get_args

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ZERO, Binary, Const, Expr
from akgen.tools.dsl.ir import (
    Alloc,
    Assign,
    Block,
    Bounds,
    ElementType,
    For,
    If,
    Load,
    Op,
    Operand,
    Rounding,
    Rows,
    Stage,
    Stmt,
    Store,
    SyncAll,
    TileRef,
    holds_sync,
)
from akgen.tools.dsl.ops import OPS
from akgen.tools.dsl.parse_cube import parse_multiply, parse_object, parse_wait
from akgen.tools.dsl.parse_expr import DTYPE_NAMES, Names, fail, parse_expr, parse_tensor, written

_STAGES = get_args(Stage)
_AXES = {"-1": "last", "1": "last", "0": "first", "None": "all"}
_HOLDS = {"copyin": "load", "copyout": "store", "cube": "multiply and wait"}


class Body:
    """What kernels and the host function share: assignments, loops, branches."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def parse(self, nodes: Sequence[ast.stmt]) -> tuple[Stmt, ...]:
        return tuple(s for n in nodes for s in [self.statement(n)] if s is not None)

    def expr(self, node: ast.expr) -> Expr:
        return parse_expr(node, self.names)

    def statement(self, node: ast.stmt) -> Stmt | None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self.assign(node, name, value)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                joined = ast.copy_location(ast.BinOp(left=ast.Name(id=name), op=op, right=value), node)
                return self.assign(node, name, joined)
            case ast.For(
                target=ast.Name(id=var), iter=ast.Call(func=ast.Name(id="range"), args=args), orelse=[]
            ):
                start, stop, step = self.bounds(node, args)
                return For(
                    line=node.lineno, var=var, start=start, stop=stop, step=step, body=self.parse(node.body)
                )
            case ast.If(test=test, body=body, orelse=other):
                return If(
                    line=node.lineno, cond=self.expr(test), then=self.parse(body), other=self.parse(other)
                )
            case ast.Pass():
                return None
        raise fail(
            "DSL_SYNTAX", node, f"`{ast.unparse(node).splitlines()[0]}` is not a statement of the language."
        )

    def bounds(self, node: ast.stmt, args: list[ast.expr]) -> tuple[Expr, Expr, Expr]:
        values = [self.expr(a) for a in args]
        match values:
            case [stop]:
                return Const(value=0), stop, Const(value=1)
            case [start, stop]:
                return start, stop, Const(value=1)
            case [start, stop, step]:
                return start, stop, step
        raise fail("DSL_ARITY", node, "range takes one to three arguments.")

    def assign(self, node: ast.stmt, name: str, value: ast.expr) -> Stmt:
        if name in self.names.tensors or name in self.names.tiles:
            raise fail("DSL_ALIAS", node, f"`{name}` is a tensor or tile and cannot be assigned again.")
        return Assign(line=node.lineno, name=name, value=self.expr(value))


class KernelBody(Body):
    """Statements of a kernel. Stage rules are enforced here, because they decide what a statement may be."""

    stage: str | None = None
    depth = 0  # of loops and branches
    branches = 0  # of these

    def statement(self, node: ast.stmt) -> Stmt | None:
        match node:
            case ast.With(
                items=[ast.withitem(context_expr=ast.Call(func=ast.Name(id=stage), args=[], keywords=[]))]
            ) if stage in _STAGES:
                return self.block(node, stage)
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call):
                return self.call(node, name, call)
        if self.stage in _HOLDS:
            raise fail("DSL_STAGE", node, f"A {self.stage} block holds only {_HOLDS[self.stage]}.")
        compound, branch = isinstance(node, (ast.For, ast.If)), isinstance(node, ast.If)
        self.depth, self.branches = self.depth + compound, self.branches + branch
        try:
            made = super().statement(node)
        finally:
            self.depth, self.branches = self.depth - compound, self.branches - branch
        if isinstance(made, For) and holds_sync(made) and not isinstance(made.body[0], SyncAll):
            raise fail("DSL_STAGE", node, "The body of a loop in which all cores meet begins with sync_all.")
        return made

    def block(self, node: ast.With, stage: str) -> Stmt:
        if self.stage is not None:
            raise fail("DSL_STAGE", node, f"A {stage} block stands inside a {self.stage} block.")
        self.stage = stage
        body = self.parse(node.body)
        self.stage = None
        return Block.model_validate({"line": node.lineno, "stage": stage, "body": body})

    def assign(self, node: ast.stmt, name: str, value: ast.expr) -> Stmt:
        match value:
            case ast.Call(func=ast.Name(id="matmul_object")) as call:
                if self.stage is not None or self.depth:
                    raise fail("DSL_STAGE", node, "matmul_object stands at the top level of the kernel.")
                return parse_object(node, name, call, self.names)
            case ast.Call(func=ast.Name(id="alloc_ub"), args=[shape, dtype], keywords=keywords):
                if self.stage is not None or self.branches:
                    raise fail("DSL_STAGE", node, "alloc_ub stands where every core passes, in no branch.")
                if name in self.names.tiles or name in self.names.tensors:
                    raise fail("DSL_ALIAS", node, f"`{name}` is allocated twice.")
                dims = self.shape(shape)
                buffers = self.keywords(node, keywords, "buffers").get("buffers")
                count = None if buffers is None else written(buffers)
                if count is not None and type(count) is not int:
                    raise fail("DSL_SYNTAX", node, "buffers= is 1 or 2.")
                self.names.tiles.add(name)
                return Alloc(line=node.lineno, tile=name, dims=dims, dtype=self.dtype(dtype), buffers=count)
        return super().assign(node, name, value)

    def keywords(self, node: ast.stmt, given: list[ast.keyword], *allowed: str) -> dict[str, ast.expr]:
        result = {k.arg: k.value for k in given if k.arg in allowed}
        if len(result) != len(given):
            raise fail("DSL_ARITY", node, f"Keywords allowed here: {', '.join(allowed) or 'none'}.")
        return {k: v for k, v in result.items() if k is not None}

    def shape(self, node: ast.expr) -> tuple[Expr, ...]:
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        if len(nodes) not in (1, 2):
            raise fail("DSL_SHAPE", node, "Tiles have one or two dimensions.")
        return tuple(self.expr(n) for n in nodes)

    def dtype(self, node: ast.expr) -> ElementType:
        match node:
            case ast.Attribute(value=ast.Name(id=tensor), attr="dtype") if tensor in self.names.tensors:
                return ElementType(of=tensor)
            case ast.Call(func=ast.Name(id="native"), args=[ast.Attribute() as inner], keywords=[]):
                return self.dtype(inner).model_copy(update={"native": True})
            case ast.Name(id="mask"):
                return ElementType(fixed="mask")
            case ast.Name(id=name) if name in DTYPE_NAMES:
                return ElementType(fixed=DType(name))
        raise fail("DSL_DTYPE", node, f"`{ast.unparse(node)}` is not a dtype.")

    def tile(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name) and node.id in self.names.tiles:
            return node.id
        raise fail(
            "DSL_UNKNOWN_NAME", node, f"`{ast.unparse(node)}` is not a tile; allocate it with alloc_ub."
        )

    def call(self, node: ast.Expr, name: str, call: ast.Call) -> Stmt:
        args, line = call.args, node.lineno
        homes = {"load": "copyin", "store": "copyout", "multiply": "cube", "wait": "cube"}
        need = homes.get(name, "compute" if name in OPS else None)
        if need is not None and self.stage != need:
            raise fail(
                "DSL_STAGE",
                node,
                f"`{name}` stands in {self.stage or 'no'} block; it belongs in a {need} block.",
            )
        match name, args:
            case "sync_all", []:
                if self.branches or self.stage:
                    raise fail("DSL_STAGE", node, "sync_all stands where every core passes, in no branch.")
                return SyncAll(line=line)
            case "load", [tile, tensor, offset, extent]:
                return self.load(node, tile, tensor, offset, extent, call.keywords)
            case "store", [tensor, offset, tile]:
                given = self.keywords(node, call.keywords, "stride", "index", "add")
                name, item = parse_tensor(tensor, self.names)
                return Store(
                    line=line, tensor=name, item=item, offset=self.expr(offset), tile=self.tile(tile),
                    stride=self.optional(given.get("stride")), index=self.index(given),
                    add=self.flag(given.get("add")),
                )  # fmt: skip
        if name == "multiply":
            return parse_multiply(node, call, self.names)
        if name == "wait":
            return parse_wait(node, call, self.names)
        if name in ("load", "store", "sync_all"):
            raise fail("DSL_ARITY", node, f"`{ast.unparse(node)}`: wrong operands for {name}.")
        if name not in OPS:
            raise fail("DSL_UNKNOWN_OP", node, f"`{name}` is not an operation.")
        return self.op(node, name, call)

    def load(
        self,
        node: ast.Expr,
        tile: ast.expr,
        tensor: ast.expr,
        offset: ast.expr,
        extent: ast.expr,
        keywords: list[ast.keyword],
    ) -> Load:
        given = self.keywords(node, keywords, "stride", "rows", "columns", "fill", "index")
        name, item = parse_tensor(tensor, self.names)
        load = Load(
            line=node.lineno, tile=self.tile(tile), tensor=name, item=item, offset=self.expr(offset),
            extent=self.shape(extent), stride=self.optional(given.get("stride")),
            rows=self.bounds_of(given.get("rows")), columns=self.bounds_of(given.get("columns")),
            fill=self.optional(given.get("fill")), index=self.index(given),
        )  # fmt: skip
        if load.guarded != (load.fill is not None):
            raise fail("DSL_ARITY", node, "A load with rows= or columns= has fill=, and no other has.")
        if load.guarded and load.index is not None:
            raise fail("DSL_ARITY", node, "A load has bounds or an index, not both.")
        if load.rows is not None and len(load.extent) == 1:
            raise fail("DSL_SHAPE", node, "rows= bounds the rows of a 2-D extent.")
        return load

    def optional(self, node: ast.expr | None) -> Expr | None:
        return None if node is None else self.expr(node)

    def index(self, given: dict[str, ast.expr]) -> str | None:
        return self.tile(given["index"]) if "index" in given else None

    def flag(self, node: ast.expr | None) -> bool:
        if node is None or (isinstance(node, ast.Constant) and isinstance(node.value, bool)):
            return node is not None and bool(node.value)
        raise fail("DSL_SYNTAX", node, "add is True or False.")

    def bounds_of(self, node: ast.expr | None) -> Bounds | None:
        match node:
            case None:
                return None
            case ast.Tuple(elts=[first, last]):
                return self.expr(first), self.expr(last)
        raise fail("DSL_SHAPE", node, "Bounds are (first, last), the last one not included.")

    def op(self, node: ast.Expr, name: str, call: ast.Call) -> Stmt:
        info, args = OPS[name], call.args
        keywords = self.keywords(
            node,
            call.keywords,
            *{"cast": ("rounding",), "reduce": ("axis",), "scan": ("axis", "reverse")}.get(info.family, ()),
        )
        extras = 1 if info.family in ("fill", "sorted") else 0
        if not info.arity + 1 <= len(args) <= info.arity + 1 + extras:
            raise fail("DSL_ARITY", node, f"`{name}` takes a destination and {info.arity} operand(s).")
        given = self.shape(args[info.arity + 1]) if len(args) > info.arity + 1 else None
        axis, rounding, reverse = "last", "rint", False
        if "axis" in keywords:
            axis = _AXES.get(repr(written(keywords["axis"])), "")
        if "rounding" in keywords:
            rounding = written(keywords["rounding"])
        if "reverse" in keywords:
            reverse = written(keywords["reverse"])
        if axis not in ("last", "first", "all") or rounding not in get_args(Rounding):
            raise fail(
                "DSL_SYNTAX",
                node,
                "axis is -1, 0 or None; rounding is rint, floor, ceil, round, trunc or bits.",
            )
        if (info.family == "scan" and axis == "all") or not isinstance(reverse, bool):
            raise fail("DSL_SYNTAX", node, "A scan runs along axis -1 or 0; reverse is True or False.")
        operands = tuple(self.operand(a) for a in args[1 : info.arity + 1])
        dst, rows = args[0], None
        match dst:
            case ast.Subscript(value=whole, slice=ast.Slice() as part):
                dst, rows = whole, self.rows_of(part)
        fields = {
            "line": node.lineno,
            "name": name,
            "dst": self.tile(dst),
            "rows": rows,
            "args": operands,
            "given": given,
        }
        return Op.model_validate({**fields, "axis": axis, "rounding": rounding, "reverse": reverse})

    def rows_of(self, node: ast.Slice) -> Rows | None:
        """Return `first : first + count`, the rows of a part of a tile; of `:` None, which is all."""
        if node.lower is None and node.upper is None:
            return None
        first = ZERO if node.lower is None else self.expr(node.lower)
        if node.upper is None or node.step is not None:
            raise fail("DSL_SHAPE", node, "Rows of a tile are t[first : first + count].")
        last = self.expr(node.upper)
        if first == ZERO:
            return first, last
        if isinstance(last, Binary) and last.op == "+" and last.left == first:
            return first, last.right
        if isinstance(last, Const) and isinstance(first, Const):
            return first, Const(value=last.value - first.value)
        return first, last - first

    def operand(self, node: ast.expr) -> Operand:
        match node:
            case ast.Name(id=name) if name in self.names.tiles:
                return TileRef(tile=name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=[first, second])) if (
                name in self.names.tiles
            ):
                match first, second:
                    case ast.Slice(), ast.Constant(value=None):
                        return TileRef(tile=name, view="column", rows=self.rows_of(first))
                    case ast.Constant(value=None), ast.Slice():
                        return TileRef(tile=name, view="row", rows=self.rows_of(second))
                raise fail("DSL_SHAPE", node, "A view of a tile is v[:, None] or v[None, :].")
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice() as part) if (
                name in self.names.tiles
            ):
                return TileRef(tile=name, rows=self.rows_of(part))
        return self.expr(node)
