"""Trace a loaded case: record its core ATen calls, or let torch.export find them. In this folder only
`record` and `trace*` import torch.

Not covered: loops whose end depends on tensor values, and outputs whose shape does.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import torch
from torch.utils import _pytree as pytree

from akgen.tools.compose.front.record import CapturedGraph, Leaf, record
from akgen.tools.compose.front.record_constants import SMALL_CONSTANT
from akgen.tools.compose.front.record_outside import Unrecordable
from akgen.tools.compose.front.trace_reader import TraceReader, check_layout
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.reference.protocol import LoadedCase

_MOST_SIZES = 8  # of a tensor that stands for a list of sizes or axes
LARGEST_GRAPH = 30_000  # nodes, those of loops that are rolled later included
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


def trace(loaded: LoadedCase) -> TracedGraph:
    """Return the case's graph of core ATen calls.

    Raises Unsupported when the reference cannot be exported (data-dependent control flow, unknown classes).
    """
    args = tuple(loaded.example_args)
    for value in pytree.tree_leaves(args):
        if isinstance(value, torch.Tensor):
            check_layout(value)
    lifted = _lifted(loaded)
    if lifted is not None:
        try:
            return TraceReader(_captured(loaded, lifted), loaded, lifted).read()
        except Unsupported:
            pass  # the reference needs its numbers as numbers
    try:
        return TraceReader(_captured(loaded, args), loaded, args).read()
    except Unsupported as refused:
        if refused.op not in ("torch.export", "dynamic shape"):
            raise
        first = refused
    fixed = _single_values(loaded)
    if fixed:
        try:
            return _specialised(loaded, args, fixed)
        except Unsupported as refused:
            first = refused
    try:
        return _steered(loaded, args, first)
    except Unsupported as refused:
        sizes = _sizes(loaded)
        if not sizes:
            raise
        first = refused
    try:
        return _specialised(loaded, args, tuple(sorted({*fixed, *sizes})))
    except Unsupported:
        raise first from None


def _steered(loaded: LoadedCase, args: tuple[Any, ...], refused: Unsupported) -> TracedGraph:
    """Trace with numbers and branches that depend on elements; raise what was refused before if it is no use."""
    samples = [loaded.sample(seed, "task") for seed in range(3)]
    draws = [tuple(s.args) for s in samples if s.args is not None]
    try:
        with _quiet():
            found = record(loaded.model, args, steered=True, draws=draws)
    except Unrecordable as e:
        if e.why is None:
            raise refused from None
        raise Unsupported("torch.export", e.why, e.line) from refused
    except _TRACE_ERRORS:
        raise refused from None
    if len(found.graph.nodes) > LARGEST_GRAPH:
        raise Unsupported("graph", f"the reference unrolls to {len(found.graph.nodes)} operations")
    shapes = [_shapes(s.expected) for s in samples]
    if any(s != shapes[0] for s in shapes):
        raise Unsupported("dynamic shape", "an output's shape depends on tensor values")
    return TraceReader(found, loaded, args).read()


def _shapes(values: Any) -> list[tuple[int, ...]]:
    return [tuple(v.shape) for v in pytree.tree_leaves(list(values)) if isinstance(v, torch.Tensor)]


class _Specialised(torch.nn.Module):  # type: ignore[misc]
    """A model some of whose tensor arguments are part of the program: their values are literals."""

    def __init__(self, inner: torch.nn.Module, args: tuple[Any, ...], fixed: tuple[int, ...]) -> None:
        super().__init__()
        self.traced = inner
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
        return self.traced(*args)


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


def _sizes(loaded: LoadedCase) -> tuple[int, ...]:
    """Return the arguments that may hold sizes or axes: few integers in a row."""
    whole = (torch.int32, torch.int64)
    return tuple(
        k
        for k, a in enumerate(loaded.example_args)
        if isinstance(a, torch.Tensor) and a.dim() == 1 and a.numel() <= _MOST_SIZES and a.dtype in whole
    )


def _specialised(loaded: LoadedCase, args: tuple[Any, ...], fixed: tuple[int, ...]) -> TracedGraph:
    """Trace with the values of single-number arguments known, if these are the same in every draw of the task."""
    numbers = {s.index: i for i, s in enumerate(loaded.binding.inputs) if s is not None and s.kind == "arg"}
    again = loaded.inputs_of(1)
    for k in fixed:
        bound = again[numbers[k]] if k in numbers else None
        if bound is not None and not torch.equal(torch.as_tensor(bound).reshape(-1), args[k].reshape(-1)):
            raise Unsupported("control flow", "the reference branches on the values of an input")
    rest = tuple(a for k, a in enumerate(args) if k not in fixed)
    program = _captured(loaded, rest, _Specialised(loaded.model, args, fixed))
    return TraceReader(program, loaded, args, fixed).read()


def _lifted(loaded: LoadedCase) -> tuple[Any, ...] | None:
    """Return the arguments with numbers that are operator inputs made tensors, so that the kernel reads them."""
    binding = loaded.binding
    unknown = [
        i for i, s in enumerate(binding.inputs) if s is not None and s.kind == "arg" and s.index is None
    ]
    numbers = [k for k, a in enumerate(loaded.example_args) if _is_number(a)]
    if not unknown or not numbers:
        return None
    inputs = loaded.inputs_of(0)
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


def _captured(
    loaded: LoadedCase, args: tuple[Any, ...], model: torch.nn.Module | None = None
) -> CapturedGraph:
    model = model or loaded.model
    with _quiet():
        unrecordable: Unrecordable | None = None
        try:
            found = record(model, args)
            if len(found.graph.nodes) <= LARGEST_GRAPH:
                return found
        except Unrecordable as e:
            unrecordable = e
        except _TRACE_ERRORS:
            pass
        try:
            with _known_constants(), torch.no_grad():
                return _exported(model, args)
        except Unsupported as refused:
            if unrecordable is None or unrecordable.why is None or refused.op != "torch.export":
                raise
            raise Unsupported(refused.op, unrecordable.why, unrecordable.line) from refused


def _exported(model: torch.nn.Module, args: tuple[Any, ...]) -> CapturedGraph:
    """CapturedGraph with torch.export, which knows of numbers that depend on elements, and of writes to inputs."""
    from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind

    try:
        program = torch.export.export(model, args, strict=False)
        if len(program.graph.nodes) > LARGEST_GRAPH:
            raise Unsupported("graph", f"the reference unrolls to {len(program.graph.nodes)} operations")
        program = program.run_decompositions()
        _check_indices(program.graph)
    except _TRACE_ERRORS as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        first = lines[0] if lines else type(error).__name__
        if first.startswith("quantized nyi"):
            raise Unsupported(
                "quantized", "quantised tensors inside of a reference are not covered"
            ) from error
        raise Unsupported(
            "torch.export", f"torch.export cannot trace the reference: {first[:200]}"
        ) from error
    values = pytree.tree_leaves(args, is_leaf=lambda v: v is None)
    state = {**program.state_dict, **program.constants}
    leaves, position = [], 0
    for spec in program.graph_signature.input_specs:
        user = spec.kind == InputKind.USER_INPUT
        key = position if user else spec.target or ""
        value = values[position] if user else state.get(key)
        position += user
        if isinstance(value, torch.Tensor) and not isinstance(spec.arg, ConstantArgument):
            leaves.append(Leaf(spec.arg.name, "arg" if user else "state", key, value))
    out = program.call_spec.out_spec
    return CapturedGraph(
        graph=program.graph,
        leaves=tuple(leaves),
        returned=tuple(
            s.arg.name
            for s in program.graph_signature.output_specs
            if s.kind == OutputKind.USER_OUTPUT and not isinstance(s.arg, ConstantArgument)
        ),
        returns_list=out is not None and out.type in (list, tuple),
    )


def _check_indices(graph: torch.fx.Graph) -> None:
    """Raise Unsupported if a number that was read from a tensor picks or cuts: what is left says only that it does."""
    for node in graph.nodes:
        name = str(node.target).removeprefix("aten.").split(".")[0]
        numbers = (a for a in node.args[1:] if isinstance(a, torch.fx.Node))
        if name in ("select", "slice", "arange", "slice_scatter", "select_scatter") and any(
            isinstance(n.meta.get("val"), torch.SymInt) for n in numbers
        ):
            raise Unsupported("torch.export", "an index that is a tensor's value is not covered")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch from logging what becomes our own sentence."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            # Recurrent layers are calls of a library; without it, PyTorch writes them out.
            with torch.backends.mkldnn.flags(enabled=False):
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
