"""Execute a host function: shapes, dtypes and attributes in, one launch out."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.dsl.buffers import UB_BUDGET, largest_fit
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.evaluate import Scalar, evaluate, single
from akgen.tools.dsl.expr import (
    Dim,
    DimProduct,
    DTypeTest,
    Expr,
    Fit,
    Func,
    Item,
    ListLength,
    ListNumel,
    Name,
    Property,
    TextTest,
)
from akgen.tools.dsl.ir import (
    Assert,
    Assign,
    Declare,
    DimList,
    DimSlice,
    ElementType,
    For,
    Host,
    If,
    Launch,
    Program,
    ShapesOf,
    Stmt,
    Workspace,
    walk,
)
from akgen.tools.dsl.prepare import PreparedKernel

Metas = TensorMeta | tuple[TensorMeta, ...] | None


class Launched(Frozen):
    """What the host function decided. `args` are names of tensors or workspaces, or numbers, in kernel order."""

    kernel: str
    key: int
    cores: int
    args: tuple[str | bool | int | float, ...]
    workspaces: tuple[tuple[str, int, DType], ...]
    outputs: tuple[tuple[str, Metas], ...]  # what `declare` said


def tensor_arguments(program: Program, kernel: str) -> dict[str, str]:
    """Return kernel tensor parameter -> host name (tensor or workspace), from the kernel's first launch."""
    launch = next(s for s in walk(program.host.body) if isinstance(s, Launch) and s.kernel == kernel)
    pairs = zip(program.kernel(kernel).params, launch.args, strict=False)
    return {p.name: a.id for p, a in pairs if p.type in ("tensor", "list") and isinstance(a, Name)}


class HostFacts:
    """What a host function knows of a call: its tensors' shapes and dtypes, its attributes, and names set so far."""

    def __init__(self, metas: Mapping[str, Metas], attrs: Mapping[str, AttrValue]) -> None:
        self.metas = dict(metas)
        self.names: dict[str, Scalar] = {}
        self.lists: dict[str, Sequence[Scalar]] = {}
        self.texts: dict[str, str] = {}
        for name, value in attrs.items():
            if isinstance(value, (tuple, list)):
                self.lists[name] = [single(v) for v in value if not isinstance(v, tuple)]
            elif isinstance(value, str):
                self.texts[name] = value
            elif value is not None:
                self.names[name] = single(value)

    def scalar(self, e: Expr) -> Scalar:
        return evaluate(e, self.names, self.special)

    def integer(self, e: Expr) -> int:
        return int(self.scalar(e))

    def meta(self, tensor: str) -> TensorMeta:
        meta = self.metas.get(tensor)
        if not isinstance(meta, TensorMeta):
            raise KeyError(f"the shape of {tensor} is not known")
        return meta

    def listed(self, tensor: str) -> tuple[TensorMeta, ...]:
        meta = self.metas.get(tensor)
        if not isinstance(meta, tuple):
            raise KeyError(f"{tensor} is not a list of tensors")
        return meta

    def special(self, e: Expr) -> Scalar:
        match e:
            case Dim():
                return self.meta(e.tensor).shape[self.integer(e.index)]
            case DimProduct():
                start, stop = (None if x is None else self.integer(x) for x in (e.start, e.stop))
                return int(np.prod(self.meta(e.tensor).shape[start:stop], dtype=np.int64))
            case Property():
                return self.property(e)
            case DTypeTest():
                return self.dtype(ElementType(of=e.tensor)) == e.dtype
            case TextTest():
                return self.texts[e.attr] == e.text
            case Item():
                return self.lists[e.attr][self.integer(e.index)]
            case Func(name="len", args=(Name(id=attr),)):
                return len(self.lists[attr])
            case ListLength():
                return len(self.listed(e.tensor))
            case ListNumel():
                return self.listed(e.tensor)[self.integer(e.index)].count
        raise KeyError(type(e).__name__)

    def property(self, e: Property) -> Scalar:
        match e.name:
            case "present":
                return self.metas.get(e.tensor) is not None
            case "ndim":
                return len(self.meta(e.tensor).shape)
            case "size":
                return self.dtype(ElementType(of=e.tensor)).size_bytes
            case "numel":
                return self.meta(e.tensor).count
            case "max_numel":
                return max(m.count for m in self.listed(e.tensor))
            case "total_numel":
                return sum(m.count for m in self.listed(e.tensor))

    def dtype(self, t: ElementType) -> DType:
        """Return a tensor's or a fixed dtype; an absent tensor counts as float32."""
        if t.fixed is not None:
            return DType(t.fixed)
        meta = self.metas.get(t.of or "")
        if isinstance(meta, tuple):
            return meta[0].dtype
        return DType.FLOAT32 if meta is None else meta.dtype


class HostRun(HostFacts):
    """One execution of a host function."""

    def __init__(
        self,
        program: Program,
        prepared: Mapping[str, PreparedKernel],
        metas: Mapping[str, Metas],
        attrs: Mapping[str, AttrValue],
        core_num: int = 48,
    ) -> None:
        self.host: Host = program.host
        given: dict[str, AttrValue] = {}
        for p in self.host.attrs:
            value = attrs.get(p.name, p.default)
            if value is None:
                raise self.fail(self.host.line, f"Attribute `{p.name}` has no value.")
            given[p.name] = float(value) if p.kind == "float" and isinstance(value, (bool, int)) else value
        super().__init__(metas, given)
        self.program, self.prepared, self.core_num = program, prepared, core_num
        self.workspaces: dict[str, tuple[int, DType]] = {}
        self.outputs: list[tuple[str, Metas]] = []

    def fail(self, line: int, text: str) -> DslError:
        return DslError((finding("DSL_RUN", line, text),))

    def run(self) -> Launched:
        """Return the launch; raise DslError if an assertion refuses the call."""
        launched = self.body(self.host.body)
        if launched is None:
            raise self.fail(self.host.line, "The host function ended without a launch.")
        return launched

    def body(self, body: tuple[Stmt, ...]) -> Launched | None:
        for s in body:
            try:
                launched = self.statement(s)
            except (ZeroDivisionError, KeyError, IndexError, ValueError, OverflowError) as e:
                raise self.fail(s.line, f"The host function cannot go on: {type(e).__name__} {e}.") from e
            if launched is not None:
                return launched
        return None

    def statement(self, s: Stmt) -> Launched | None:
        match s:
            case Assign():
                self.names[s.name] = self.scalar(s.value)
            case Workspace():
                self.workspaces[s.name] = (self.integer(s.count), s.dtype)
            case Assert():
                if not self.scalar(s.cond):
                    raise self.fail(s.line, f"The host function refuses the call: {s.text}.")
            case Declare():
                self.declare(s)
            case If():
                return self.body(s.then if self.scalar(s.cond) else s.other)
            case For():
                for i in range(self.integer(s.start), self.integer(s.stop), self.integer(s.step)):
                    self.names[s.var] = i
                    launched = self.body(s.body)
                    if launched is not None:
                        return launched
            case Launch():
                return self.launch(s)
            case _:
                raise self.fail(s.line, "This statement does not belong in a host function.")
        return None

    def launch(self, s: Launch) -> Launched:
        kernel, cores = self.program.kernel(s.kernel), self.integer(s.cores)
        if not 1 <= cores <= self.core_num:
            raise self.fail(s.line, f"{cores} cores are asked for; the chip has {self.core_num}.")
        if len(s.args) != len(kernel.params):
            raise self.fail(s.line, f"`{s.kernel}` has {len(kernel.params)} parameters, not {len(s.args)}.")
        args: list[str | Scalar] = []
        for p, a in zip(kernel.params, s.args, strict=True):
            if p.type in ("tensor", "list"):
                assert isinstance(a, Name)
                args.append(a.id)
            else:
                value = self.scalar(a)
                args.append(float(np.float32(value)) if p.type == "float" else value)
        if kernel.objects:
            cores += cores % 2  # two vector cores belong to each cube core
        spaces = tuple((n, c, d) for n, (c, d) in self.workspaces.items())
        return Launched(
            kernel=s.kernel, key=s.key, cores=cores, args=tuple(args), workspaces=spaces, outputs=tuple(self.outputs)
        )  # fmt: skip

    def special(self, e: Expr) -> Scalar:
        match e:
            case Func(name="core_num"):
                return self.core_num
            case Fit():
                return self.fit(e)
        return super().special(e)

    def dtype(self, t: ElementType) -> DType:
        """Return a host tensor's, workspace's or fixed dtype."""
        if t.fixed is not None:
            return DType(t.fixed)
        name = t.of or ""
        if name in self.workspaces:
            return self.workspaces[name][1]
        return self._spaces[name] if name in self._spaces else super().dtype(t)

    @cached_property
    def _spaces(self) -> dict[str, DType]:
        """Return the dtypes of the workspaces that the host will ask for."""
        return {s.name: s.dtype for s in walk(self.host.body) if isinstance(s, Workspace)}

    def fit(self, e: Fit) -> int:
        plan = self.prepared[e.kernel].plan
        arguments = tensor_arguments(self.program, e.kernel)

        def types(t: ElementType) -> DType | Literal["mask"]:
            if t.fixed is not None:
                return t.fixed
            return t.where(self.dtype(ElementType(of=arguments[t.of or ""])))

        names = {k: self.scalar(v) for k, v in e.dims}
        return largest_fit(plan, e.param, names, types, UB_BUDGET)

    def declare(self, s: Declare) -> None:
        dtype = self.dtype(s.dtype)
        meta: Metas
        if any(isinstance(p, ShapesOf) for p in s.parts):
            (part,) = s.parts
            assert isinstance(part, ShapesOf)
            meta = tuple(TensorMeta(dtype=dtype, shape=m.shape) for m in self.listed(part.tensor))
        else:
            dims: list[int] = []
            for p in s.parts:
                match p:
                    case DimList():
                        dims += [self.integer(d) for d in p.dims]
                    case DimSlice():
                        start, stop = (None if x is None else self.integer(x) for x in (p.start, p.stop))
                        dims += self.meta(p.tensor).shape[start:stop]
                    case _:
                        dims += np.broadcast_shapes(*(self.meta(t).shape for t in getattr(p, "tensors", ())))
            meta = TensorMeta(dtype=dtype, shape=tuple(dims))
        self.outputs.append((s.output, meta))
        self.metas.setdefault(s.output, meta)
