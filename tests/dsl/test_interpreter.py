"""The interpreter computes what PyTorch computes, for every program of the documentation and of programs/."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError, Program
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.numeric import to_bfloat16
from akgen.tools.dsl.parse import parse
from tests.dsl.running import FLOATS, Array, rounded

Find = Callable[[str], Program]
SHAPES = ((37, 1001), (100, 7), (1, 1), (2, 70000))
ULP = {DType.FLOAT32: 4e-7, DType.FLOAT16: 1e-3, DType.BFLOAT16: 8e-3}


def normal(shape: tuple[int, ...], dtype: DType, seed: int = 0) -> Array:
    return rounded(np.random.default_rng(seed).standard_normal(shape), dtype)


def close(got: Array | list[Array], want: torch.Tensor, dtype: DType, factor: float = 1.0) -> None:
    expected = want.numpy()
    assert isinstance(got, np.ndarray) and got.shape == expected.shape
    np.testing.assert_allclose(
        got.astype(np.float64),
        expected,
        rtol=factor * ULP[dtype],
        atol=factor * ULP[dtype] * np.abs(expected).max(),
    )


def exact(x: Array) -> torch.Tensor:
    return torch.from_numpy(x.astype(np.float64))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_add(program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    x, y = normal(shape, dtype), normal(shape, dtype, 1)
    (got,) = interpret(program("add"), [x, y], dtypes={"x": dtype, "y": dtype})
    close(got, exact(x) + exact(y), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax(program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    x = normal(shape, dtype)
    (got,) = interpret(program("softmax"), [x], dtypes={"x": dtype})
    close(got, torch.softmax(exact(x), -1), dtype, factor=4)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(37, 1001), (100, 7), (2, 4096)])
def test_layer_norm(program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    x, g, b = normal(shape, dtype), normal(shape[-1:], dtype, 1), normal(shape[-1:], dtype, 2)
    types = dict.fromkeys(("x", "gamma", "beta"), dtype)
    (got,) = interpret(program("layer_norm"), [x, g, b], {"eps": 1e-3}, dtypes=types)
    close(
        got, torch.nn.functional.layer_norm(exact(x), shape[-1:], exact(g), exact(b), 1e-3), dtype, factor=4
    )


@pytest.mark.parametrize("count", [1, 5, 100003])
def test_mean_over_all_cores(program: Find, count: int) -> None:
    x = normal((count,), DType.FLOAT32)
    (got,) = interpret(program("mean"), [x])
    close(got, exact(x).mean().reshape(1), DType.FLOAT32, factor=100)


@pytest.mark.parametrize("shape", [(37, 1001), (300, 7)])
def test_two_phases(program: Find, shape: tuple[int, ...]) -> None:
    x = normal(shape, DType.FLOAT32)
    (got,) = interpret(program("softmax_mean"), [x])
    close(got, torch.softmax(exact(x), -1).mean(0), DType.FLOAT32, factor=8)


def test_a_list_of_tensors(program: Find) -> None:
    xs = [normal(shape, DType.FLOAT32) for shape in ((3, 5), (70001,), (1,))]
    (got,) = interpret(program("foreach"), [xs])
    for a, x in zip(got, xs, strict=True):
        np.testing.assert_array_equal(a, 2 * x)


def test_an_output_that_overwrites_an_input(program: Find) -> None:
    var, m, grad = (normal((333, 101), DType.FLOAT32, s) for s in range(3))
    v = np.abs(normal((333, 101), DType.FLOAT32, 3))
    metas = [TensorMeta(dtype=DType.FLOAT32, shape=(333, 101))] * 3
    p, a, b = interpret(program("adam"), [var, m, v, grad], {"lr": 0.01}, outputs=metas)
    a1 = 0.9 * exact(m) + 0.1 * exact(grad)
    b1 = 0.999 * exact(v) + 0.001 * exact(grad) ** 2
    close(a, a1, DType.FLOAT32)
    close(b, b1, DType.FLOAT32)
    close(p, exact(var) - 0.01 * a1 / (b1.sqrt() + 1e-8), DType.FLOAT32, factor=10)


def test_bfloat16_rounds_as_torch_does() -> None:
    x = np.random.default_rng(0).standard_normal(10000).astype(np.float32) * 1e3
    np.testing.assert_array_equal(to_bfloat16(x), torch.from_numpy(x).bfloat16().float().numpy())


PROGRAM = """
@ascend_kernel
def k(x, out, n: int):
    t = alloc_ub(64, float32)
    with copyin():
        load(t, x, {offset}, {length})
    with compute():
        add(t, t, 1.0)
    with copyout():
        store(out, 0, t)

@ascend_host
def h(x: Tensor, out: Output):
    declare(out, x.shape, x.dtype)
    assert x.numel > 1, "more than one element"
    k[1](x, out, x.numel)
"""


@pytest.mark.parametrize(
    ("offset", "length", "text"),
    [
        ("1", "n", "are accessed"),
        ("0", "n - 80", "is empty"),
        ("0", "n", "does not fit"),
        ("0", "n // (n - n)", "ZeroDivisionError"),
    ],
)
def test_a_broken_access_names_its_line(offset: str, length: str, text: str) -> None:
    broken = parse(PROGRAM.format(offset=offset, length=length))
    with pytest.raises(DslError, match=text) as error:
        interpret(broken, [np.ones(80, np.float32)])
    assert error.value.diagnostics[0].code == "DSL_RUN"
    assert error.value.diagnostics[0].line == 6


def test_the_host_function_may_refuse_a_call() -> None:
    with pytest.raises(DslError, match="more than one element"):
        interpret(parse(PROGRAM.format(offset="0", length="n")), [np.ones(1, np.float32)])
