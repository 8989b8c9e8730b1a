"""Programs as DSL text that the parser reads back as the same program."""

from akgen.tools.dsl.expr import ZERO, Const, Expr
from akgen.tools.dsl.ir import (
    HOST_KINDS,
    Alloc,
    Assert,
    Assign,
    Block,
    BroadcastOf,
    Declare,
    DimList,
    DimSlice,
    For,
    Host,
    If,
    Kernel,
    Launch,
    Load,
    MatmulObject,
    Multiply,
    Op,
    Operand,
    Program,
    Rows,
    ShapePart,
    ShapesOf,
    Stmt,
    Store,
    SyncAll,
    TileRef,
    View,
    WaitFor,
    Workspace,
)  # fmt: skip
from akgen.tools.dsl.show import listed, literal, show, show_optional, tensor

_KERNEL_PARAMS = {"tensor": "", "list": ": TensorList", "int": ": int", "float": ": float", "bool": ": bool"}
_ANNOTATIONS = {kind: annotation for annotation, kind in HOST_KINDS.items()}


def printed(kernels: tuple[Kernel, ...], host: Host) -> Program:
    """Return the program with its text; every function and statement gets the line on which it stands there."""
    printer = _Printer()
    placed = []
    for k in kernels:
        params = [p.name + _KERNEL_PARAMS[p.type] for p in k.params]
        line = printer.function("@ascend_kernel", k.name, params, k.doc)
        placed.append(k.model_copy(update={"line": line, "body": printer.body(k.body, 1)}))
    params = [
        f"{p.name}: {_ANNOTATIONS[p.kind]}" + ("" if p.default is None else f" = {literal(p.default)}")
        for p in host.params
    ]
    line = printer.function("@ascend_host", host.name, params, host.doc)
    host = host.model_copy(update={"line": line, "body": printer.body(host.body, 1)})
    return Program(text="\n".join(printer.lines) + "\n", kernels=tuple(placed), host=host)


def _shape(dims: tuple[Expr, ...]) -> str:
    """Return a tile's shape or extent."""
    return show(dims[0]) if len(dims) == 1 else f"({listed(dims)})"


def _operand(operand: Operand) -> str:
    if not isinstance(operand, TileRef):
        return show(operand)
    return _part_of(operand.tile, operand.rows, operand.view)


def _part_of(tile: str, rows: Rows | None, view: View = "whole") -> str:
    """Return a tile, some of its rows, or a view of these."""
    along = ":" if rows is None else f"{show(rows[0])} : {show(rows[0] + rows[1])}"
    if rows is not None and rows[0] == ZERO:
        along = f": {show(rows[1])}"
    whole = "" if rows is None else f"[{along}]"
    return tile + {"whole": whole, "column": f"[{along}, None]", "row": f"[None, {along}]"}[view]


def _part(part: ShapePart) -> str:
    match part:
        case DimList(dims=(one,)):
            return f"({show(one)},)"
        case DimList():
            return f"({listed(part.dims)})"
        case DimSlice(start=None, stop=None):
            return f"{part.tensor}.shape"
        case DimSlice():
            return f"{part.tensor}.shape[{show_optional(part.start)}:{show_optional(part.stop)}]"
        case BroadcastOf():
            return f"broadcast_shapes({', '.join(f'{t}.shape' for t in part.tensors)})"
        case ShapesOf():
            return f"{part.tensor}.shapes"


def _multiply(s: Multiply) -> str:
    offsets = [("a", s.a), ("b", s.b), ("c", s.c), ("bias", s.bias)]
    said = [f"{key}={show(e)}" for key, e in offsets if e != ZERO]
    strides = [("lda", s.lda), ("ldb", s.ldb), ("ldc", s.ldc)]
    said += [f"{key}={show(e)}" for key, e in strides if e is not None]
    said += ["accumulate=True"] if s.accumulate else []
    said += [] if s.wait else ["wait=False"]
    return f"multiply({', '.join([s.object, f'({listed(s.extent)})', *said])})"


def _head(s: Stmt) -> str:
    """Return the first line of a statement."""
    match s:
        case Alloc():
            copies = "" if s.buffers is None else f", buffers={s.buffers}"
            return f"{s.tile} = alloc_ub({_shape(s.dims)}, {s.dtype}{copies})"
        case MatmulObject():
            operands = f"{s.a}, {s.b}, {s.c}, ({listed(s.dims)})"
            flags = [
                f", transpose_{x}=True"
                for x, turned in (("a", s.transpose_a), ("b", s.transpose_b))
                if turned
            ]
            bias = "" if s.bias is None else f", bias={s.bias}"
            return f"{s.name} = matmul_object({operands}{''.join(flags)}{bias})"
        case Multiply():
            return _multiply(s)
        case WaitFor():
            return f"wait({s.object})"
        case Assign():
            return f"{s.name} = {show(s.value)}"
        case Op():
            said = [_part_of(s.dst, s.rows), *map(_operand, s.args)]
            if s.given is not None:
                said.append(_shape(s.given))
            if s.axis != "last":
                said.append("axis=0" if s.axis == "first" else "axis=None")
            if s.rounding != "rint":
                said.append(f'rounding="{s.rounding}"')
            if s.reverse:
                said.append("reverse=True")
            return f"{s.name}({', '.join(said)})"
        case Load():
            return f"load({s.tile}, {tensor(s.tensor, s.item)}, {show(s.offset)}, {_shape(s.extent)}{_options(s)})"
        case Store():
            return f"store({tensor(s.tensor, s.item)}, {show(s.offset)}, {s.tile}{_options(s)})"
        case SyncAll():
            return "sync_all()"
        case Block():
            return f"with {s.stage}():"
        case For():
            bounds: tuple[Expr, ...] = (s.start, s.stop, s.step)
            if s.step == Const(value=1):
                bounds = (s.stop,) if s.start == Const(value=0) else (s.start, s.stop)
            return f"for {s.var} in range({listed(bounds)}):"
        case If():
            return f"if {show(s.cond)}:"
        case Assert():
            return f"assert {show(s.cond)}, {literal(s.text)}"
        case Declare():
            return f"declare({s.output}, {' + '.join(map(_part, s.parts))}, {s.dtype})"
        case Workspace():
            return f"{s.name} = workspace({show(s.count)}, {s.dtype})"
        case Launch():
            return f"{s.kernel}[{show(s.cores)}]({listed(s.args)})"


def _options(s: Load | Store) -> str:
    """Return the keywords of a load or store."""
    said = [("stride", None if s.stride is None else show(s.stride))]
    if isinstance(s, Load):
        said += [
            (n, None if b is None else f"({listed(b)})")
            for n, b in (("rows", s.rows), ("columns", s.columns))
        ]
        said.append(("fill", None if s.fill is None else show(s.fill)))
    said.append(("index", s.index))
    if isinstance(s, Store) and s.add:
        said.append(("add", "True"))
    return "".join(f", {name}={value}" for name, value in said if value is not None)


def _quoted(doc: str) -> str:
    """Return a docstring's text as it stands between triple quotes."""
    text = doc.replace("\\", "\\\\")
    return text.replace('"', '\\"') if '""' in text or text.endswith('"') else text


class _Printer:
    """Lines under construction."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, depth: int, text: str) -> int:
        """Write a line and return its number."""
        self.lines.append("    " * depth + text)
        return len(self.lines)

    def function(self, decorator: str, name: str, params: list[str], doc: str) -> int:
        """Write a function's head and return the line of its name."""
        if self.lines:
            self.add(0, "")
        self.add(0, decorator)
        line = self.add(0, f"def {name}({', '.join(params)}):")
        if doc:
            first, *rest = (
                doc.replace("\\", "\\\\")
                .replace('"', '\\"' if '""' in doc or doc[-1] == '"' else '"')
                .split("\n")
            )
            end = "" if rest else '"""'
            self.add(1, f'"""{first}{end}')
            for text in rest:
                self.add(1 if text else 0, text)
            if rest:
                self.add(1, '"""')
        return line

    def body(self, body: tuple[Stmt, ...], depth: int) -> tuple[Stmt, ...]:
        """Write the statements and return them with their lines."""
        if not body:
            self.add(depth, "pass")
        return tuple(self.statement(s, depth) for s in body)

    def statement(self, s: Stmt, depth: int) -> Stmt:
        changes: dict[str, object] = {"line": self.add(depth, _head(s))}
        match s:
            case For() | Block():
                changes["body"] = self.body(s.body, depth + 1)
            case If():
                changes["then"] = self.body(s.then, depth + 1)
                if s.other:
                    self.add(depth, "else:")
                    changes["other"] = self.body(s.other, depth + 1)
        return s.model_copy(update=changes)
