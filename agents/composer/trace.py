"""Trace a loaded case with torch.export and core ATen decompositions. The only file here that imports torch.

Not covered: references whose control flow depends on tensor values, and outputs whose shape does.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from akgen.agents.composer.raw import Origin, RawGraph, RawNode, RawOutput, Ref
from akgen.agents.composer.scope import Unsupported
from akgen.tools.call import TensorMeta
from akgen.tools.dtypes import DType
from akgen.tools.reference.protocol import Binding, LoadedCase, Sample

SMALL_CONSTANT = 64  # elements; larger constants would have to be operator inputs
LARGEST_GRAPH = 3000  # nodes; beyond, the reference is a program rather than a formula
# What tracing a user's Python may raise.
_TRACE_ERRORS = (
    RuntimeError,
    TypeError,
    ValueError,
    AttributeError,
    NotImplementedError,
    LookupError,
    AssertionError,
)


def trace(loaded: LoadedCase) -> RawGraph:
    """Return the case's graph of core ATen calls.

    Raises Unsupported when the reference cannot be exported (data-dependent control flow, unknown classes).
    """
    args = tuple(loaded.example_args)
    lifted = _lifted(loaded)
    if lifted is not None:
        try:
            return _Reader(_export(loaded, lifted), loaded, lifted).read()
        except Unsupported:
            pass  # the reference needs its numbers as numbers
    try:
        return _Reader(_export(loaded, args), loaded, args).read()
    except Unsupported as refused:
        fixed = _single_values(loaded)
        if refused.op not in ("torch.export", "dynamic shape") or not fixed:
            raise
    return _specialised(loaded, args, fixed)


class _Specialised(torch.nn.Module):  # type: ignore[misc]
    """A model some of whose tensor arguments are part of the program: their values are literals."""

    def __init__(self, inner: torch.nn.Module, args: tuple[Any, ...], fixed: tuple[int, ...]) -> None:
        super().__init__()
        self.inner = inner
        self._literals = {k: (args[k].tolist(), args[k].dtype) for k in fixed}
        self._count = len(args)

    def forward(self, *rest: Any) -> Any:
        values = iter(rest)
        args = [
            torch.tensor(self._literals[k][0], dtype=self._literals[k][1])
            if k in self._literals
            else next(values)
            for k in range(self._count)
        ]
        return self.inner(*args)


def _single_values(loaded: LoadedCase) -> tuple[int, ...]:
    """Return the arguments that hold one number, or numbers that the tiling function may read."""
    readable = {
        s.index
        for i, s in enumerate(loaded.binding.inputs)
        if s is not None and i in loaded.binding.const_inputs
    }
    return tuple(
        k
        for k, a in enumerate(loaded.example_args)
        if isinstance(a, torch.Tensor) and (a.numel() == 1 or (k in readable and a.numel() <= SMALL_CONSTANT))
    )


def _specialised(loaded: LoadedCase, args: tuple[Any, ...], fixed: tuple[int, ...]) -> RawGraph:
    """Trace with the values of single-number arguments known, if these are the same in every draw of the task."""
    numbers = {s.index: i for i, s in enumerate(loaded.binding.inputs) if s is not None and s.kind == "arg"}
    again = loaded.sample(1, "task").inputs
    for k in fixed:
        bound = again[numbers[k]] if k in numbers else None
        if bound is not None and not torch.equal(torch.as_tensor(bound).reshape(-1), args[k].reshape(-1)):
            raise Unsupported("control flow", "the reference branches on the values of an input")
    rest = tuple(a for k, a in enumerate(args) if k not in fixed)
    program = _export(loaded, rest, _Specialised(loaded.model, args, fixed))
    return _Reader(program, loaded, args, fixed).read()


def _lifted(loaded: LoadedCase) -> tuple[Any, ...] | None:
    """Return the arguments with numbers that are operator inputs made tensors, so that the kernel reads them."""
    binding = loaded.binding
    unknown = [
        i for i, s in enumerate(binding.inputs) if s is not None and s.kind == "arg" and s.index is None
    ]
    numbers = [k for k, a in enumerate(loaded.example_args) if _is_number(a)]
    if not unknown or not numbers:
        return None
    inputs = loaded.sample(0, "task").inputs
    args = list(loaded.example_args)
    for i in unknown:
        bound = inputs[i]
        for k in numbers:
            if isinstance(bound, torch.Tensor) and not isinstance(args[k], torch.Tensor):
                value = torch.as_tensor(args[k])
                if value.numel() == bound.numel() and _close(value, bound):
                    args[k] = bound.reshape(value.shape).clone()
                    break
    return tuple(args) if any(a is not b for a, b in zip(args, loaded.example_args, strict=True)) else None


def _is_number(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_number(v) for v in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return bool(torch.allclose(a.reshape(-1).double(), b.reshape(-1).double(), rtol=1e-2, atol=1e-6))


def _export(
    loaded: LoadedCase, args: tuple[Any, ...], model: torch.nn.Module | None = None
) -> torch.export.ExportedProgram:
    with _quiet(), _known_constants(), torch.no_grad():
        try:
            program = torch.export.export(model or loaded.model, args, strict=False)
            if len(program.graph.nodes) > LARGEST_GRAPH:
                raise Unsupported("graph", f"the reference unrolls to {len(program.graph.nodes)} operations")
            return program.run_decompositions()
        except _TRACE_ERRORS as error:
            lines = [line for line in str(error).splitlines() if line.strip()]
            first = lines[0] if lines else type(error).__name__
            raise Unsupported(
                "torch.export", f"torch.export cannot trace the reference: {first[:200]}"
            ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch from logging what becomes our own sentence."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


@contextmanager
def _known_constants() -> Iterator[None]:
    """Let torch know the values of small constant tensors (`torch.tensor(shape)`), not only of single numbers."""
    from torch._subclasses import fake_tensor

    before = fake_tensor.CONSTANT_NUMEL_LIMIT
    fake_tensor.CONSTANT_NUMEL_LIMIT = SMALL_CONSTANT
    try:
        yield
    finally:
        fake_tensor.CONSTANT_NUMEL_LIMIT = before


def dtype_of(dtype: torch.dtype) -> DType:
    """Return our name of a torch dtype; raise Unsupported for one that kernels do not know."""
    name = str(dtype).removeprefix("torch.")
    try:
        return DType(name)
    except ValueError:
        raise Unsupported(name, f"tensors of dtype {name} are not covered") from None


def meta_of(tensor: torch.Tensor) -> TensorMeta:
    return TensorMeta(dtype=dtype_of(tensor.dtype), shape=tuple(_size(d) for d in tensor.shape))


def _size(value: Any) -> int:
    if isinstance(value, int):
        return value
    raise Unsupported("dynamic shape", "an output's shape depends on tensor values")


class _Reader:
    """Turn an exported program into a RawGraph."""

    def __init__(
        self,
        program: torch.export.ExportedProgram,
        loaded: LoadedCase,
        args: tuple[Any, ...],
        fixed: tuple[int, ...] = (),
    ) -> None:
        self._program = program
        self._loaded = loaded
        self._binding: Binding = loaded.binding
        self._nodes: list[RawNode] = []
        self._refs: dict[str, Ref] = {}
        self._drawn: Sample | None = None
        self._inputs = [self._bound(i) for i in range(len(self._binding.inputs))]
        self._args = args
        self._fixed = fixed

    def read(self) -> RawGraph:
        self._placeholders()
        for node in self._program.graph.nodes:
            if node.op == "call_function":
                self._call(node)
        return RawGraph(
            nodes=tuple(self._nodes),
            outputs=self._outputs(),
            inputs=tuple(self._input_meta(v) for v in self._sample().inputs),
            attrs=tuple((a.name, a.value) for a in self._binding.attrs),
            aliases=tuple(self._binding.aliases),
            output_dtypes=tuple(self._output_dtypes()),
            input_names=self._binding.input_names,
            output_names=self._binding.output_names,
            scalars=self._scalars(),
            fixed=tuple(
                i
                for i, s in enumerate(self._binding.inputs)
                if s is not None and s.kind == "arg" and s.index in self._fixed
            ),
        )

    # inputs

    def _sample(self) -> Sample:
        """Return one draw of the task's own inputs: what the operator gets, which the binding may have reshaped."""
        if self._drawn is None:
            self._drawn = self._loaded.sample(0, "task")
        return self._drawn

    def _bound(self, index: int) -> Any:
        """Return the value that the operator gets for input `index`."""
        source = self._binding.inputs[index]
        if source is not None and source.kind == "arg" and source.index is not None:
            return self._loaded.example_args[source.index]
        if source is not None and source.kind == "state":
            assert source.key is not None
            value: Any = self._loaded.model
            for part in source.key.split("."):
                value = getattr(value, part)
            return value
        if source is None and index not in self._binding.const_inputs:
            return None
        return self._sample().inputs[index]

    def _input_meta(self, value: Any) -> TensorMeta | tuple[TensorMeta, ...] | None:
        if value is None:
            return None
        if isinstance(value, torch.Tensor):
            return meta_of(value)
        if isinstance(value, (list, tuple)) and all(isinstance(t, torch.Tensor) for t in value):
            return tuple(meta_of(t) for t in value)
        return meta_of(torch.as_tensor(value))

    def _scalars(self) -> tuple[tuple[int, tuple[float, ...]], ...]:
        """Return the values of inputs that the binding makes of Python numbers, which the trace holds as constants."""
        found: list[tuple[int, tuple[float, ...]]] = []
        for i, source in enumerate(self._binding.inputs):
            value = self._inputs[i]
            untraced = source is None or (source.kind == "arg" and source.index is None)
            number = isinstance(value, (bool, int, float)) or (
                isinstance(value, (list, tuple)) and all(isinstance(v, (int, float)) for v in value)
            )
            known = source is not None and source.kind == "arg" and source.index in self._fixed
            untraced = untraced or known
            if value is not None and (number or (untraced and isinstance(value, torch.Tensor))):
                tensor = torch.as_tensor(value)
                if tensor.numel() <= SMALL_CONSTANT and not tensor.is_complex():
                    found.append((i, tuple(float(v) for v in tensor.reshape(-1).tolist())))
        return tuple(found)

    def _origins(self) -> dict[tuple[str, Any], Origin]:
        """Map (arg, flat position) and (state, name) to operator inputs."""
        found: dict[tuple[str, Any], Origin] = {}
        start: list[int] = []
        flat = 0
        for k, value in enumerate(self._args):
            start.append(flat)
            if k in self._fixed:
                continue
            flat += len(pytree.tree_leaves(value, is_leaf=lambda v: v is None))
        for i, source in enumerate(self._binding.inputs):
            if source is None:
                continue
            if source.kind == "state":
                found["state", source.key] = Origin(input=i)
                continue
            if source.index is None or source.index in self._fixed:
                continue
            value = self._args[source.index]
            if isinstance(value, (list, tuple)):
                for k in range(len(value)):
                    found["arg", start[source.index] + k] = Origin(input=i, element=k)
            else:
                found["arg", start[source.index]] = Origin(input=i)
        return found

    def _placeholders(self) -> None:
        origins = self._origins()
        rest = tuple(a for k, a in enumerate(self._args) if k not in self._fixed)
        leaves = pytree.tree_leaves(rest, is_leaf=lambda v: v is None)
        state = {**self._program.state_dict, **self._program.constants}
        position = 0
        for spec in self._program.graph_signature.input_specs:
            name = spec.arg.name
            if spec.kind == InputKind.USER_INPUT:
                origin, value = origins.get(("arg", position)), leaves[position]
                position += 1
            else:
                target = (spec.target or "").removeprefix("inner." if self._fixed else "")
                origin, value = origins.get(("state", target)), state.get(spec.target or "")
            if isinstance(spec.arg, ConstantArgument) or not isinstance(value, torch.Tensor):
                continue
            self._add(name, self._leaf(origin, value))

    def _leaf(self, origin: Origin | None, value: torch.Tensor) -> RawNode:
        index = len(self._nodes)
        origin = origin or self._by_value(value)
        if origin is not None:
            return RawNode(index=index, kind="input", metas=(meta_of(value),), origin=origin)
        if value.numel() > SMALL_CONSTANT:
            raise Unsupported("constant", f"a constant of {value.numel()} elements is not an operator input")
        values = tuple(value.detach().reshape(-1).tolist())
        return RawNode(index=index, kind="const", metas=(meta_of(value),), values=values)

    def _by_value(self, value: torch.Tensor) -> Origin | None:
        """Find an unnamed tensor among the inputs: by its storage, or, for inputs of no known source, by its values."""
        for i, bound in enumerate(self._inputs):
            if not isinstance(bound, torch.Tensor) or bound.numel() != value.numel() or not value.numel():
                continue
            if bound.data_ptr() == value.data_ptr():
                return Origin(input=i)
            source = self._binding.inputs[i]
            unknown = source is None or (source.kind == "arg" and source.index is None)
            if unknown and torch.equal(bound.reshape(-1), value.reshape(-1).to(bound.dtype)):
                return Origin(input=i)
        return None

    # calls

    def _add(self, name: str, node: RawNode) -> None:
        self._nodes.append(node)
        self._refs[name] = Ref(node=node.index)

    def _call(self, node: torch.fx.Node) -> None:
        target = str(node.target)
        if "getitem" in target and isinstance(node.args[1], int):
            source = node.args[0]
            assert isinstance(source, torch.fx.Node)
            self._refs[node.name] = Ref(node=self._refs[source.name].node, part=node.args[1])
            return
        value = node.meta.get("val")
        values = value if isinstance(value, (list, tuple)) else (value,)
        metas = tuple(meta_of(v) if isinstance(v, torch.Tensor) else None for v in values)
        raw = RawNode(
            index=len(self._nodes),
            kind="call",
            target=target,
            args=tuple(self._arg(a) for a in node.args),
            kwargs=tuple((k, self._arg(v)) for k, v in node.kwargs.items()),
            metas=metas,
            scalar=_scalar_kind(value),
        )
        self._add(node.name, raw)

    def _arg(self, value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            return self._refs.get(value.name)
        if isinstance(value, (list, tuple)):
            return tuple(self._arg(v) for v in value)
        if isinstance(value, torch.dtype):
            return dtype_of(value)
        if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
            return str(value)
        return value

    # outputs

    def _returned(self) -> list[Ref]:
        """Return what the reference returns, flattened; None and numbers are left out."""
        refs: list[Ref] = []
        for spec in self._program.graph_signature.output_specs:
            if spec.kind == OutputKind.USER_OUTPUT and not isinstance(spec.arg, ConstantArgument):
                refs.append(self._refs[spec.arg.name])
        return refs

    def _output_dtypes(self) -> list[DType]:
        declared = self._binding.output_dtypes
        refs = self._returned()
        found: list[DType] = []
        for k, dtype in enumerate(declared):
            if dtype is not None:
                found.append(dtype)
                continue
            if k >= len(refs):
                raise Unsupported(
                    "outputs", f"the operator has {len(declared)} outputs, the reference {len(refs)}"
                )
            meta = self._nodes[refs[k].node].metas[refs[k].part]
            if meta is None:
                raise Unsupported("scalar output", "the reference returns a Python number")
            found.append(meta.dtype)
        return found

    def _outputs(self) -> tuple[RawOutput, ...]:
        refs, dtypes = self._returned(), self._output_dtypes()
        lists = any(isinstance(v, (list, tuple)) for v in self._inputs)
        if lists and len(dtypes) == 1 and self._returns_list():
            return tuple(
                RawOutput(ref=ref, output=0, element=k, dtype=dtypes[0]) for k, ref in enumerate(refs)
            )
        places = self._places(refs, len(dtypes))
        return tuple(
            RawOutput(ref=refs[place], output=k, dtype=dtypes[k])
            for k, place in enumerate(places)
            if place is not None
        )

    def _places(self, refs: list[Ref], count: int) -> list[int | None]:
        """Return which returned value each operator output is; None for an output that the reference does not have."""
        if len(refs) == 1 and count == 1:
            return [0]
        sample = self._sample()
        expected = list(sample.expected)
        in_order = len(refs) == count and all(self._fits(refs[k], expected[k]) for k in range(count))
        if in_order and not hasattr(sample, "drawn"):
            return list(range(count))
        returned = getattr(getattr(sample, "drawn", None), "returned", None)
        values = [v for v in pytree.tree_leaves(returned) if isinstance(v, torch.Tensor)]
        if len(values) != len(refs):
            if len(refs) == count:
                return list(range(count))
            raise Unsupported("outputs", f"the operator has {count} outputs, the reference {len(refs)}")
        places: list[int | None] = []
        for want in expected:
            place = None
            if isinstance(want, torch.Tensor):
                place = next((j for j, v in enumerate(values) if j not in places and _equal(v, want)), None)
                if place is None:
                    raise Unsupported("outputs", "an operator output is not among what the reference returns")
            places.append(place)
        return places

    def _fits(self, ref: Ref, want: Any) -> bool:
        meta = self._nodes[ref.node].metas[ref.part]
        return isinstance(want, torch.Tensor) and meta is not None and want.numel() == meta.count

    def _returns_list(self) -> bool:
        spec = self._program.call_spec.out_spec
        return spec is not None and spec.type in (list, tuple)


def _scalar_kind(value: Any) -> DType | None:
    """Return the type of a call whose result is a number that depends on tensors."""
    if isinstance(value, (bool, torch.SymBool)):
        return DType.BOOL
    if isinstance(value, (int, torch.SymInt)):
        return DType.INT32
    if isinstance(value, (float, torch.SymFloat)):
        return DType.FLOAT32
    return None


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.numel() != b.numel() or a.is_complex() or b.is_complex():
        return False
    x, y = a.detach().reshape(-1).double(), b.detach().reshape(-1).double()
    return bool(torch.allclose(x, y, rtol=1e-6, atol=1e-9, equal_nan=True))
