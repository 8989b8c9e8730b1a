"""Trace a loaded case with torch.export and core ATen decompositions. The only file here that imports torch.

Not covered: references whose control flow depends on tensor values, and outputs whose shape does.
"""

import warnings
from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from akgen.agents.composer.raw import Origin, RawGraph, RawNode, RawOutput, Ref
from akgen.agents.composer.scope import Unsupported
from akgen.tools.call import TensorMeta
from akgen.tools.dtypes import DType
from akgen.tools.reference.protocol import Binding, LoadedCase

SMALL_CONSTANT = 64  # elements; larger constants would have to be operator inputs


class _Constants(torch.nn.Module):
    """A model whose arguments at `fixed` positions are part of the program, not of its inputs."""

    def __init__(self, model: torch.nn.Module, args: tuple[Any, ...], fixed: tuple[int, ...]) -> None:
        super().__init__()
        self.inner = model
        self._fixed = {i: args[i] for i in fixed}
        self._count = len(args)

    def forward(self, *rest: Any) -> Any:
        values = iter(rest)
        args = [self._fixed[i] if i in self._fixed else next(values) for i in range(self._count)]
        return self.inner(*args)


def trace(loaded: LoadedCase) -> RawGraph:
    """Return the case's graph of core ATen calls.

    Raises Unsupported when the reference cannot be exported (data-dependent control flow, unknown classes).
    """
    exported = _export(loaded)
    return _Reader(exported, loaded).read()


def _export(loaded: LoadedCase) -> torch.export.ExportedProgram:
    args = tuple(loaded.example_args)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            program = torch.export.export(loaded.model, args, strict=False)
            return program.run_decompositions()
        except (RuntimeError, TypeError, ValueError, AttributeError, NotImplementedError, KeyError) as error:
            lines = [line for line in str(error).splitlines() if line.strip()]
            first = lines[0] if lines else type(error).__name__
            raise Unsupported(
                "torch.export", f"torch.export cannot trace the reference: {first[:200]}"
            ) from error


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

    def __init__(self, program: torch.export.ExportedProgram, loaded: LoadedCase) -> None:
        self._program = program
        self._loaded = loaded
        self._binding: Binding = loaded.binding
        self._nodes: list[RawNode] = []
        self._refs: dict[str, Ref] = {}

    def read(self) -> RawGraph:
        self._placeholders()
        for node in self._program.graph.nodes:
            if node.op == "call_function":
                self._call(node)
        return RawGraph(
            nodes=tuple(self._nodes),
            outputs=self._outputs(),
            inputs=tuple(self._input_meta(i) for i in range(len(self._binding.inputs))),
            attrs=tuple((a.name, a.value) for a in self._binding.attrs),
            aliases=tuple(self._binding.aliases),
            input_names=self._binding.input_names,
            output_names=self._binding.output_names,
        )

    def _bound(self, index: int) -> Any:
        """Return the value that the binding takes for operator input `index`."""
        source = self._binding.inputs[index]
        if source is None:
            return None
        if source.kind == "arg":
            assert source.index is not None
            return self._loaded.example_args[source.index]
        assert source.key is not None
        value: Any = self._loaded.model
        for part in source.key.split("."):
            value = getattr(value, part)
        return value

    def _input_meta(self, index: int) -> TensorMeta | tuple[TensorMeta, ...] | None:
        value = self._bound(index)
        if value is None:
            return None
        if isinstance(value, torch.Tensor):
            return meta_of(value)
        if isinstance(value, (list, tuple)):
            return tuple(meta_of(t) for t in value)
        return meta_of(torch.as_tensor(value))

    def _origins(self) -> dict[tuple[str, Any], Origin]:
        """Map (arg, flat position) and (state, name) to operator inputs."""
        found: dict[tuple[str, Any], Origin] = {}
        start: list[int] = []
        flat = 0
        for value in self._loaded.example_args:
            start.append(flat)
            flat += len(pytree.tree_leaves(value, is_leaf=lambda v: v is None))
        for i, source in enumerate(self._binding.inputs):
            if source is None:
                continue
            if source.kind == "state":
                found["state", source.key] = Origin(input=i)
                continue
            assert source.index is not None
            value = self._loaded.example_args[source.index]
            if isinstance(value, (list, tuple)):
                for k in range(len(value)):
                    found["arg", start[source.index] + k] = Origin(input=i, element=k)
            else:
                found["arg", start[source.index]] = Origin(input=i)
        return found

    def _placeholders(self) -> None:
        origins = self._origins()
        leaves = pytree.tree_leaves(tuple(self._loaded.example_args), is_leaf=lambda v: v is None)
        state = {**self._program.state_dict, **self._program.constants}
        position = 0
        for spec in self._program.graph_signature.input_specs:
            name = spec.arg.name
            if spec.kind == InputKind.USER_INPUT:
                origin, value = origins.get(("arg", position)), leaves[position]
                position += 1
            else:
                origin, value = origins.get(("state", spec.target)), state.get(spec.target or "")
            if isinstance(spec.arg, ConstantArgument) or not isinstance(value, torch.Tensor):
                continue
            self._add(name, self._leaf(origin, value))

    def _leaf(self, origin: Origin | None, value: torch.Tensor) -> RawNode:
        index = len(self._nodes)
        if origin is not None:
            return RawNode(index=index, kind="input", metas=(meta_of(value),), origin=origin)
        same_as = self._state_by_identity(value)
        if same_as is not None:
            return RawNode(index=index, kind="input", metas=(meta_of(value),), origin=same_as)
        if value.numel() > SMALL_CONSTANT:
            raise Unsupported("constant", f"a constant of {value.numel()} elements is not an operator input")
        values = tuple(value.detach().reshape(-1).tolist())
        return RawNode(index=index, kind="const", metas=(meta_of(value),), values=values)

    def _state_by_identity(self, value: torch.Tensor) -> Origin | None:
        """Find a tensor that export renamed (lifted constants) by its storage."""
        for i in range(len(self._binding.inputs)):
            bound = self._bound(i)
            if (
                isinstance(bound, torch.Tensor)
                and bound.numel() > 0
                and bound.data_ptr() == value.data_ptr()
                and bound.shape == value.shape
            ):
                return Origin(input=i)
        return None

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

    def _outputs(self) -> tuple[RawOutput, ...]:
        refs: list[Ref] = []
        for spec in self._program.graph_signature.output_specs:
            if spec.kind == OutputKind.USER_OUTPUT and not isinstance(spec.arg, ConstantArgument):
                refs.append(self._refs[spec.arg.name])
        lists = any(isinstance(self._bound(i), (list, tuple)) for i in range(len(self._binding.inputs)))
        declared = self._binding.output_dtypes
        found = []
        if lists and len(declared) == 1 and self._returns_list():
            for k, ref in enumerate(refs):
                found.append(RawOutput(ref=ref, output=0, element=k, dtype=self._dtype(ref, declared[0])))
            return tuple(found)
        if len(refs) < len(declared):
            raise Unsupported(
                "outputs", f"the operator has {len(declared)} outputs, the reference {len(refs)}"
            )
        for k, (ref, dtype) in enumerate(zip(refs, declared, strict=False)):
            found.append(RawOutput(ref=ref, output=k, dtype=self._dtype(ref, dtype)))
        return tuple(found)

    def _returns_list(self) -> bool:
        spec = self._program.call_spec.out_spec
        return spec is not None and spec.type in (list, tuple)

    def _dtype(self, ref: Ref, declared: DType | None) -> DType:
        if declared is not None:
            return declared
        meta = self._nodes[ref.node].metas[ref.part]
        if meta is None:
            raise Unsupported("scalar output", "the reference returns a Python number")
        return meta.dtype
