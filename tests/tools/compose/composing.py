"""Compose functions on example arguments and run the programs in the interpreter, beside PyTorch."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.program import Composition, compose
from akgen.tools.core.call import Attr, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Distribution
from akgen.tools.dsl import check
from akgen.tools.dsl.host_run import Metas
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from akgen.tools.reference.protocol import Binding, InputSpec, Sample
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.dsl.running import OnTwin

Fn = Callable[..., Any]
Array = np.ndarray[Any, Any]
TOLERANCE = {DType.FLOAT32: 3e-5, DType.COMPLEX64: 3e-5, DType.FLOAT16: 2e-3, DType.BFLOAT16: 1.6e-2}


class Function(torch.nn.Module):
    """A model that is one function of its arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


@dataclass
class Loaded:
    """A loaded case of a model: tensors and lists of tensors are inputs, other arguments attributes."""

    model: torch.nn.Module
    example_args: tuple[Any, ...]

    def __post_init__(self) -> None:
        sources = [InputSpec(kind="arg", index=k) for k, a in enumerate(self.example_args) if _is_input(a)]
        sources += [InputSpec(kind="state", key=key) for key in self.model.state_dict()]
        attrs = tuple(
            Attr(name=f"a{k}", value=a) for k, a in enumerate(self.example_args) if not _is_input(a)
        )
        listed = any(isinstance(a, list) for a in self.example_args)
        count = 1 if listed else len(self.returned())
        self.binding = Binding(
            inputs=tuple(sources), attrs=attrs, aliases=(None,) * count, output_dtypes=(None,) * count
        )

    def returned(self) -> list[Any]:
        with torch.no_grad():
            out = self.model(*self.example_args)
        return list(out) if isinstance(out, (list, tuple)) else [out]

    def sample(self, seed: int, distribution: Distribution) -> Sample:
        del seed, distribution
        inputs = [a for a in self.example_args if _is_input(a)] + list(self.model.state_dict().values())
        out = self.returned()
        listed = any(isinstance(a, list) for a in self.example_args)
        expected: list[Any] = [out] if listed else out
        return Sample(inputs=inputs, expected=expected, returned=expected)

    def inputs_of(self, seed: int) -> list[Any]:
        return self.sample(seed, "task").inputs

    def check(self, sample: Sample, outputs: Sequence[Any]) -> str | None:
        del sample, outputs
        return None


def _is_input(value: Any) -> bool:
    return isinstance(value, (torch.Tensor, list))


def composed(
    function: Callable[..., Any] | torch.nn.Module, *cases: tuple[Any, ...]
) -> tuple[Composition, list[Loaded], list[TracedGraph]]:
    """Return the program for a function called with each of these argument tuples."""
    model = function if isinstance(function, torch.nn.Module) else Function(function)
    loaded = [Loaded(model.eval(), args) for args in cases]
    raws = [trace(case) for case in loaded]
    return compose("TestOp", "test_op", raws, "A test."), loaded, raws


def array(value: torch.Tensor) -> Array:
    return value.detach().float().numpy() if value.dtype == torch.bfloat16 else value.detach().numpy()


def run(composition: Composition, loaded: Loaded, raw: TracedGraph, core_num: int = 48) -> list[Any]:
    """Interpret the program on a case's inputs; check it for the case's dtypes first."""
    program = parse(composition.dsl)
    sample = loaded.sample(0, "task")
    face = composition.face
    dtypes = {n: _dtype(m) for n, m in zip(face.input_names, raw.inputs, strict=True)}
    known = dtypes | dict(zip(face.output_names, raw.output_dtypes, strict=True))
    assert check(program, dtypes=known) == ()
    values = [[array(t) for t in v] if isinstance(v, list) else array(v) for v in sample.inputs]
    metas: list[Metas] = []
    for want, dtype in zip(sample.expected, raw.output_dtypes, strict=True):
        shapes = [w.shape for w in want] if isinstance(want, list) else [want.shape]
        found = tuple(TensorMeta(dtype=dtype, shape=tuple(s)) for s in shapes)
        metas.append(found if isinstance(want, list) else found[0])
    attrs = dict(zip(face.attr_names, (v for _, v in raw.attrs), strict=True))
    return list(interpret(program, values, attrs, dtypes=dtypes, outputs=metas, core_num=core_num))


def _dtype(meta: TensorMeta | tuple[TensorMeta, ...] | None) -> DType:
    first = meta[0] if isinstance(meta, tuple) else meta
    assert first is not None
    return first.dtype


def assert_right(
    function: Callable[..., Any] | torch.nn.Module, *cases: tuple[Any, ...], core_num: int = 48
) -> None:
    """Compose the function for all cases as one program; its outputs must be PyTorch's."""
    composition, loaded, raws = composed(function, *cases)
    for case, raw in zip(loaded, raws, strict=True):
        got = run(composition, case, raw, core_num)
        for mine, want in zip(got, case.sample(0, "task").expected, strict=True):
            pairs = zip(mine, want, strict=True) if isinstance(want, list) else [(mine, want)]
            for a, w in pairs:
                assert_close(a, w)


def assert_right_on_twin(function: Callable[..., Any] | torch.nn.Module, *args: Any) -> None:
    """Compose the function for one case and run it on the twin; its outputs must be PyTorch's, without any finding."""
    composition, (loaded,), (raw,) = composed(function, args)
    sample = loaded.sample(0, "task")
    face = composition.face
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    outputs = [
        TensorMeta(dtype=d, shape=tuple(w.shape))
        for w, d in zip(sample.expected, raw.output_dtypes, strict=True)
    ]
    inputs, dtypes = [array(v) for v in sample.inputs], [_dtype(m) for m in raw.inputs]
    attrs: dict[str, Any] = dict(zip(face.attr_names, (v for _, v in raw.attrs), strict=True))
    with TemporaryDirectory() as folder:
        alone = "matmul_object" in composition.dsl  # weights in the workspace have the operands' dtype
        program = parse(composition.dsl)
        got, _ = OnTwin(toolchain, Path(folder))(program, inputs, dtypes, outputs, attrs, alone=alone)
    for mine, want in zip(got, sample.expected, strict=True):
        assert isinstance(mine, np.ndarray)
        assert_close(mine, want)


def assert_close(got: Array, want: torch.Tensor) -> None:
    wide = np.complex128 if want.is_complex() else np.float64
    exact = array(want).astype(wide)
    bound = TOLERANCE.get(DType(str(want.dtype).removeprefix("torch.")), 0.0)
    assert got.shape == exact.shape
    np.testing.assert_allclose(got.astype(wide), exact, rtol=bound, atol=bound)


def normal(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed + 31 * sum(shape)))
    return values.to(dtype) if dtype.is_floating_point else (values * 20).to(dtype)
