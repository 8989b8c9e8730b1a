"""Pass 1, host and tiling: tiling data, tiling function, shape inference, operator definition."""

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec, definition_lines
from akgen.tools.dsl.buffers import RESERVE_BYTES
from akgen.tools.dsl.cpp_expr import camel
from akgen.tools.dsl.cube import CUT_PRODUCTS, own_objects, tiling_field, tiling_lines
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.expr import Name, binary
from akgen.tools.dsl.host_expr import HostExpr, input_lines, ub_function
from akgen.tools.dsl.host_functions import helpers, infer_lines, ub_bytes
from akgen.tools.dsl.ir import (
    Assert,
    Assign,
    Declare,
    For,
    If,
    Launch,
    Program,
    Stmt,
    SyncAll,
    Workspace,
    walk,
)
from akgen.tools.dsl.kernel_context import SCALAR_CPP, KernelContext
from akgen.tools.dsl.scalar_names import hoisted
from akgen.tools.dsl.show import show
from akgen.tools.dsl.template import render

WORKSPACE_ALIGN = 512
MOST_MEANING = 70  # characters of a field's comment


class HostPass(Frozen):
    """`fields`: per kernel, scalar parameter to field of the tiling struct. `offsets`: workspace to field."""

    tiling_h: str
    host_cpp: str
    struct: str
    fields: dict[str, dict[str, str]]
    offsets: dict[str, str]


def lower_host(program: Program, contexts: dict[str, KernelContext], op: OpSpec, kernel: str) -> HostPass:
    """Return the host files of an operator."""
    return _Host(program, contexts, op, kernel).lower()


class _Host:
    def __init__(self, program: Program, contexts: dict[str, KernelContext], op: OpSpec, kernel: str) -> None:
        self.program, self.contexts, self.op, self.kernel = program, contexts, op, kernel
        self.host = HostExpr(program, contexts)
        self.struct = f"{op.op_type}TilingData"
        declared = [s for s in walk(program.host.body) if isinstance(s, Workspace)]
        self.spaces = list({s.name: s for s in declared}.values())  # one name may be set on several paths
        self.offsets = {s.name: f"{camel(s.name)}Offset" for s in self.spaces} if len(self.spaces) > 1 else {}
        self.fields, self.types = self._fields()
        self.lines: list[str] = []
        self.depth = 0

    def _fields(self) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
        """Merge the scalar parameters of all kernels: one field per name and type."""
        types: dict[str, str] = {}
        fields: dict[str, dict[str, str]] = {}
        for k in self.program.kernels:
            fields[k.name] = {}
            for name, kind in k.scalars.items():
                cpp = SCALAR_CPP[kind]
                field = camel(name)
                if types.get(field, cpp) != cpp:
                    field = camel(f"{k.name}_{name}")
                types[field] = cpp
                fields[k.name][name] = field
        types.update(dict.fromkeys(self.offsets.values(), "int64_t"))
        return fields, types or {"unused": "int64_t"}

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def lower(self) -> HostPass:
        body = self.program.host.body
        kinds = {p.name for p in self.program.host.params}
        self.hoisted = hoisted(body, frozenset(kinds | {s.name for s in self.spaces}))
        for name in sorted(self.hoisted):
            self.add(f"{self.cpp(name)} {self.host.names.of(name)} = 0;")
        self.body(body)
        statements, self.lines = self.lines, []
        head = input_lines(self.host, self.op, "\n".join(statements))
        tiling = [*head, *self.refused_empty(), f"{self.struct} tiling;", *statements]
        if not isinstance(body[-1], Launch):
            tiling.append("return ge::GRAPH_FAILED;")
        formulas = [
            ub_bytes(self.program, c, phase)
            for c in self.contexts.values()
            for phase in range(len(c.kernel.phases))
            if f"{ub_function(c, phase)}(" in "\n".join(tiling)
        ]
        if any("CutProducts(" in line for line in tiling):
            formulas.append(CUT_PRODUCTS)
        functions = [*helpers("\n".join([*tiling, *formulas])), *formulas]
        infer, infer_types = infer_lines(self.program, self.op)
        doc = [line.strip() for line in self.program.host.doc.splitlines()]
        host = render(
            "op_host.cpp.j2", op_type=self.op.op_type, kernel=self.kernel, struct=self.struct, doc=doc,
            reserve=RESERVE_BYTES, functions=functions, tiling=tiling, infer=infer, infer_types=infer_types,
            definition=self.definition(inferred=bool(infer)), together=self.meets(),
        )  # fmt: skip
        header = render(
            "tiling.h.j2", op_type=self.op.op_type, struct=self.struct, guard=f"{self.kernel.upper()}_TILING_H",
            fields=[(t, n, self.meaning(n)) for n, t in self.types.items()],
            tilings=list(dict.fromkeys(tiling_field(o) for c in self.contexts.values() for o in own_objects(c))),
        )  # fmt: skip
        return HostPass(
            tiling_h=header, host_cpp=host, struct=self.struct, fields=self.fields, offsets=self.offsets
        )

    def refused_empty(self) -> list[str]:
        """Return the lines that refuse empty outputs: sizes are divided by, and a division by 0 ends the process."""
        kinds = [p.kind for p in self.program.host.params if p.kind in ("output", "dynamic_output")]
        sizes = [
            f"context->GetOutputShape({k})->GetStorageShape().GetShapeSize() == 0"
            for k, kind in enumerate(kinds) if kind == "output"
        ]  # fmt: skip
        if not sizes or "dynamic_output" in kinds:
            return []
        return [
            f"if ({' || '.join(sizes)}) {{",
            "    return ge::GRAPH_FAILED; // there is nothing to compute",
            "}",
        ]

    def meaning(self, field: str) -> str | None:
        """Return what a field of the tiling struct is set to, in the language's words; None where that is long."""
        space = next((name for name, offset in self.offsets.items() if offset == field), None)
        if space is not None:
            return f"bytes before {space} in the workspace"
        assigned: dict[str, list[str]] = {}
        for s in walk(self.program.host.body):
            if isinstance(s, Assign):
                assigned.setdefault(s.name, []).append(show(s.value))
        said = [
            text
            for s in walk(self.program.host.body) if isinstance(s, Launch)
            for p, a in zip(self.program.kernel(s.kernel).params, s.args, strict=True)
            if self.fields[s.kernel].get(p.name) == field
            for text in (assigned.get(a.id, [a.id]) if isinstance(a, Name) else [show(a)])
        ]  # fmt: skip
        text = " or ".join(dict.fromkeys(said))
        return text if 0 < len(text) <= MOST_MEANING else None

    def meets(self) -> bool:
        """Say whether cores of some kernel wait for each other."""
        return any(isinstance(s, SyncAll) for k in self.program.kernels for s in walk(k.body))

    def cpp(self, name: str) -> str:
        kind = self.host.types.get(name, "int")
        return "double" if kind == "float" else SCALAR_CPP[kind]

    def body(self, body: tuple[Stmt, ...]) -> None:
        for s in body:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        text = self.host.expr.text
        match s:
            case Assign():
                name = self.host.names.of(s.name)
                const = "" if s.name in self.hoisted else f"const {self.cpp(s.name)} "
                self.add(f"{const}{name} = {text(s.value)};")
            case Workspace():
                size = self.host.expr.text(binary("*", s.count, s.dtype.size_bytes))
                self.add(
                    f"const int64_t {self.host.names.of(s.name)}Bytes = AlignUp({size}, {WORKSPACE_ALIGN});"
                )
            case Assert():
                self.add(f"if (!({text(s.cond)})) {{")
                self.add(f"    return ge::GRAPH_FAILED; // {s.text}")
                self.add("}")
            case For():
                var, step = self.host.names.of(s.var), text(s.step)
                self.block(
                    f"for (int64_t {var} = {text(s.start)}; {var} < {text(s.stop)}; {var} += {step}) {{",
                    s.body,
                )
                self.add("}")
            case If():
                self.block(f"if ({text(s.cond)}) {{", s.then)
                if s.other:
                    self.block("} else {", s.other)
                self.add("}")
            case Launch():
                self.launch(s)
            case Declare():
                pass
            case _:
                raise AssertionError(f"{type(s).__name__} does not occur in host functions")

    def block(self, head: str, body: tuple[Stmt, ...]) -> None:
        self.add(head)
        self.depth += 1
        self.body(body)
        self.depth -= 1

    def launch(self, s: Launch) -> None:
        kernel = self.program.kernel(s.kernel)
        for p, a in zip(kernel.params, s.args, strict=True):
            if p.type in ("tensor", "list"):
                continue
            field = self.fields[s.kernel][p.name]
            if p.type == "float":
                value = self.host.expr.as_float(a)
                value = f"static_cast<float>({value})"
            else:
                value = self.host.expr.text(a)
            self.add(f"tiling.set_{field}({value});")
        for line in tiling_lines(self.contexts[s.kernel], self.fields[s.kernel], self.host.dtype_text):
            self.add(line)
        given = {a.id for a in s.args if isinstance(a, Name)}
        mine = [w for w in self.spaces if w.name in given]  # those that this path has set
        sizes = [f"{self.host.names.of(w.name)}Bytes" for w in mine]
        for i, w in enumerate(mine):
            if self.offsets:
                self.add(f"tiling.set_{self.offsets[w.name]}({' + '.join(sizes[:i]) or 0});")
        cores = self.host.expr.text(s.cores)
        if kernel.objects:  # a block is one cube core with its two vector cores
            cores = f"CeilDiv({cores}, 2)"
        self.add(f"return Launch(context, tiling, {s.key}, {cores}, {' + '.join(sizes) or 0});")

    def definition(self, *, inferred: bool) -> list[str]:
        lines = definition_lines(self.op)
        if inferred:
            lines += ["this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);"]
        lines += ["this->AICore().SetTiling(optiling::TilingFunc);"]
        lines += ['this->AICore().AddConfig("ascend910b");', 'this->AICore().AddConfig("ascend910_93");']
        return lines


def require_match(program: Program, op: OpSpec) -> None:
    """Raise DslError unless the host function's inputs, outputs and attributes are those of the operator."""
    host = program.host
    counts = ((host.inputs, op.inputs), (host.outputs, op.outputs), (host.attrs, op.attrs))
    for mine, theirs in counts:
        if len(mine) != len(theirs):
            names = [p.name for p in theirs]
            text = (
                f"The host function has {len(mine)} parameters where the operator has {len(theirs)}: {names}."
            )
            raise DslError((finding("DSL_LAUNCH", host.line, text),))
