"""Read a captured graph: which operator input each placeholder is, and every call."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from akgen.tools.compose.front.record import CapturedGraph
from akgen.tools.compose.front.record_constants import SMALL_CONSTANT
from akgen.tools.compose.front.trace_outputs import TraceOutputs
from akgen.tools.compose.front.traced import Origin, Ref, TracedGraph, TracedNode
from akgen.tools.compose.front.user_lines import UserLines
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.reference.nested import at, leaves
from akgen.tools.reference.protocol import Binding, LoadedCase, Sample


def dtype_of(dtype: torch.dtype) -> DType:
    """Return our name of a torch dtype; raise Unsupported for one that kernels do not know."""
    name = str(dtype).removeprefix("torch.")
    if dtype == torch.complex128:
        return DType.COMPLEX64  # as float64 is computed in float32
    try:
        return DType(name)
    except ValueError:
        raise Unsupported(name, f"tensors of dtype {name} are not covered") from None


def check_layout(tensor: torch.Tensor) -> None:
    """Raise Unsupported for a tensor that is more than its elements."""
    if tensor.layout != torch.strided:
        raise Unsupported("sparse", "sparse tensors are not covered: kernels take dense ones (x.to_dense())")
    if tensor.is_quantized:
        raise Unsupported(
            "quantized", "quantised tensors are not covered: take their integers (x.int_repr())"
        )


def meta_of(tensor: torch.Tensor) -> TensorMeta:
    """Return a tensor's shape and dtype. Raises Unsupported for what kernels do not know."""
    check_layout(tensor)
    return TensorMeta(dtype=dtype_of(tensor.dtype), shape=tuple(_size(d) for d in tensor.shape))


def argument_meta(tensor: torch.Tensor) -> TensorMeta:
    """Return an operator input's shape and dtype. Raises Unsupported for what no kernel takes."""
    meta = meta_of(tensor)
    if meta.dtype == DType.FLOAT64 or tensor.dtype == torch.complex128:
        raise _too_wide(str(tensor.dtype).removeprefix("torch."))
    return meta


def _too_wide(name: str) -> Unsupported:
    return Unsupported(name, f"{name} is not covered: vector and cube cores compute in float32 at most")


def _size(value: Any) -> int:
    if isinstance(value, int):
        return value
    raise Unsupported("dynamic shape", "an output's shape depends on tensor values")


class TraceReader:
    """One captured graph of a case, with the arguments that it was captured with."""

    def __init__(
        self,
        capture: CapturedGraph,
        loaded: LoadedCase,
        args: tuple[Any, ...],
        fixed: tuple[int, ...] = (),
    ) -> None:
        self._capture = capture
        self._loaded = loaded
        self._binding: Binding = loaded.binding
        self._nodes: list[TracedNode] = []
        self._refs: dict[str, Ref] = {}
        self._drawn: Sample | None = None
        self._operands: Sequence[Any] | None = None
        self._inputs = [self._bound(i) for i in range(len(self._binding.inputs))]
        self._args = args
        self._lines = UserLines(loaded.model)
        self._fixed = fixed

    def read(self) -> TracedGraph:
        """Return the graph as a TracedGraph. Raises Unsupported for what kernels do not know."""
        self._placeholders()
        for node in self._capture.graph.nodes:
            if node.op == "call_function":
                self._call(node)
        lists = any(isinstance(v, (list, tuple)) for v in self._inputs)
        outputs = TraceOutputs(
            self._capture, self._binding, self._nodes, self._refs, self._sample, takes_lists=lists,
            positions=self._positions(),
        )  # fmt: skip
        if DType.FLOAT64 in outputs.dtypes():
            raise _too_wide("float64")
        return TracedGraph(
            nodes=tuple(self._nodes),
            outputs=outputs.read(),
            inputs=tuple(self._input_meta(v) for v in self._given()),
            attrs=tuple((a.name, a.value) for a in self._binding.attrs),
            aliases=tuple(self._binding.aliases),
            output_dtypes=tuple(outputs.dtypes()),
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

    def _given(self) -> Sequence[Any]:
        """Return one draw of the task's own inputs: what the operator gets, which the binding may have reshaped."""
        if self._operands is None:
            self._operands = self._loaded.inputs_of(0)
        return self._operands

    def _sample(self) -> Sample:
        """Return a whole sample with these inputs."""
        if self._drawn is None:
            self._drawn = self._loaded.sample(0, "task")
        return self._drawn

    def _bound(self, index: int) -> Any:
        """Return the value that the operator gets for input `index`."""
        source = self._binding.inputs[index]
        if source is not None and source.kind == "arg" and source.index is not None:
            return at(self._loaded.example_args[source.index], source.path)
        if source is not None and source.kind == "state":
            assert source.key is not None
            value: Any = self._loaded.model
            for part in source.key.split("."):
                value = getattr(value, part)
            return value
        if source is None and index not in self._binding.const_inputs:
            return None
        return self._given()[index]

    def _input_meta(self, value: Any) -> TensorMeta | tuple[TensorMeta, ...] | None:
        if value is None:
            return None
        if isinstance(value, torch.Tensor):
            return argument_meta(value)
        if isinstance(value, (list, tuple)) and all(isinstance(t, torch.Tensor) for t in value):
            return tuple(argument_meta(t) for t in value)
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
            for position, (path, _) in enumerate(leaves(self._args[source.index]), start[source.index]):
                if path[: len(source.path)] == source.path:
                    element = path[len(source.path)] if len(path) > len(source.path) else None
                    found["arg", position] = Origin(input=i, element=element)
        return found

    def _positions(self) -> dict[int, list[tuple[int | None, int]]]:
        """Return, by operator input, the elements of its list and their flattened positions among the arguments."""
        found: dict[int, list[tuple[int | None, int]]] = {}
        for (kind, place), origin in self._origins().items():
            if kind == "arg" and origin.input is not None:
                found.setdefault(origin.input, []).append((origin.element, place))
        return found

    def _placeholders(self) -> None:
        origins = self._origins()
        for leaf in self._capture.leaves:
            key = leaf.key
            if isinstance(key, str):
                key = key.removeprefix("traced." if self._fixed else "")
            self._add(leaf.name, self._leaf(origins.get((leaf.kind, key)), leaf.value))

    def _leaf(self, origin: Origin | None, value: torch.Tensor) -> TracedNode:
        index = len(self._nodes)
        origin = origin or self._by_value(value)
        if origin is not None:
            return TracedNode(index=index, kind="input", metas=(meta_of(value),), origin=origin)
        if value.numel() > SMALL_CONSTANT:
            raise Unsupported("constant", f"a constant of {value.numel()} elements is not an operator input")
        flat = value.detach().reshape(-1)
        values = tuple((torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat).tolist())
        return TracedNode(index=index, kind="const", metas=(meta_of(value),), values=values)

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

    def _add(self, name: str, node: TracedNode) -> None:
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
        line = node.meta.get("line") or self._lines.of(node.meta.get("stack_trace"))
        try:
            metas = tuple(meta_of(v) if isinstance(v, torch.Tensor) else None for v in values)
        except Unsupported as refused:
            raise Unsupported(refused.op, refused.sentence, line) from refused
        raw = TracedNode(
            index=len(self._nodes),
            kind="call",
            target=target,
            args=tuple(self._arg(a) for a in node.args),
            kwargs=tuple((k, self._arg(v)) for k, v in node.kwargs.items()),
            metas=metas,
            scalar=_scalar_kind(value),
            line=line,
        )
        self._add(node.name, raw)

    def _arg(self, value: Any) -> Any:
        if isinstance(value, torch.fx.Node):
            return self._refs.get(value.name)
        if isinstance(value, (list, tuple)):
            return tuple(self._arg(v) for v in value)
        if isinstance(value, torch.dtype):
            return dtype_of(value)
        plain = value is None or isinstance(value, (bool, int, float, str))
        return value if plain else str(value)


def _scalar_kind(value: Any) -> DType | None:
    """Return the type of a call whose result is a number that depends on tensors."""
    if isinstance(value, (bool, torch.SymBool)):
        return DType.BOOL
    if isinstance(value, (int, torch.SymInt)):
        return DType.INT32
    if isinstance(value, (float, torch.SymFloat)):
        return DType.FLOAT32
    return None
