"""Guarded loads, rows and elements that an index picks, stores that add: interpreter, PyTorch and the twin agree."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError, Program, check
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from tests.dsl.running import FLOATS, Array, OnTwin, documented, rounded
from tests.dsl.test_twin import agree, normal
from tests.sampled import sampled

Find = Callable[[str], Program]
F32, F16, _ = FLOATS
RNG = np.random.default_rng(3)


def indices(count: int, shape: tuple[int, ...], kind: type = np.int64) -> Array:
    return RNG.integers(0, count, shape).astype(kind)


@pytest.mark.parametrize("window", [(3, 2, 1), (2, 2, 0), (5, 1, 2), (4, 3, 2)])
def test_windows_along_rows(program: Find, window: tuple[int, int, int]) -> None:
    k, s, p = window
    x = normal((7, 37), F32)
    want = torch.nn.functional.max_pool1d(torch.from_numpy(x)[None], k, s, p)[0].numpy()
    (got,) = interpret(program("max_pool_rows"), [x], {"k": k, "s": s, "p": p}, dtypes={"x": F32})
    np.testing.assert_array_equal(got, want)


def test_rows_that_an_index_picks(program: Find) -> None:
    table, index = normal((9, 37), F32), indices(9, (5, 3))
    (got,) = interpret(program("embedding"), [table, index], dtypes={"table": F32, "index": DType.INT64})
    np.testing.assert_array_equal(got, table[index])


def test_a_frame_and_rows_that_are_added(program: Find) -> None:
    x, index = normal((9, 37), F32), indices(9, (9,), np.int32)
    out, sums = interpret(program("guarded"), [x, index], dtypes={"x": F32, "index": DType.INT32})
    framed = np.full((12, 51), np.float32(-0.5))
    framed[2:11, 5:42] = x + 1
    np.testing.assert_array_equal(out, framed)
    added = torch.zeros(9, 37).index_add_(0, torch.from_numpy(index), torch.from_numpy(x))
    np.testing.assert_allclose(np.asarray(sums), added.numpy(), atol=1e-6)


@pytest.mark.parametrize("dtype", FLOATS)
def test_windows_on_the_twin(on_twin: OnTwin, program: Find, dtype: DType) -> None:
    x, out = normal((7, 37), dtype), [TensorMeta(dtype=dtype, shape=(7, 19))]
    agree(on_twin, program("max_pool_rows"), [x], [dtype], out, k=3, s=2, p=1)


@pytest.mark.parametrize("dtype", sampled(FLOATS, 3))
def test_picked_rows_on_the_twin(on_twin: OnTwin, program: Find, dtype: DType) -> None:
    out = [TensorMeta(dtype=dtype, shape=(50, 3, 37))]
    inputs = [normal((9, 37), dtype), indices(9, (50, 3))]
    agree(on_twin, program("embedding"), inputs, [dtype, DType.INT64], out)


@pytest.mark.parametrize(
    ("dtype", "shape"), sampled([(F32, (9, 37)), (F16, (14, 64)), (DType.INT8, (6, 33))], 3)
)
def test_frames_and_sums_on_the_twin(
    on_twin: OnTwin, program: Find, dtype: DType, shape: tuple[int, int]
) -> None:
    metas = [TensorMeta(dtype=dtype, shape=s) for s in ((shape[0] + 3, shape[1] + 14), shape)]
    x = rounded(RNG.integers(-8, 8, shape), dtype)
    index = indices(shape[0], shape[:1], np.int32)
    agree(on_twin, program("guarded"), [x, index], [dtype, DType.INT32], metas)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (", fill=-3.4e38)", ")", "DSL_ARITY"),
        ("columns=(p - q, cols + p - q), fill=-3.4e38", "fill=0.0", "DSL_ARITY"),
        ("columns=(p - q, cols + p - q)", "rows=(0, 1)", "DSL_SHAPE"),
        ("columns=(p - q, cols + p - q)", "columns=3", "DSL_SHAPE"),
        ("columns=(p - q, cols + p - q), fill=-3.4e38", "index=i", "DSL_SHAPE"),
        ("columns=(p - q, cols + p - q), fill=-3.4e38", "index=w", "DSL_DTYPE"),
        ("gather(w, t, i)", "gather(t, t, i)", "DSL_ALIAS"),
        ("gather(w, t, i)", "gather(w, t, m)", "DSL_DTYPE"),
        ("gather(w, t, i)", "gather(w, t, 0)", "DSL_SHAPE"),
        ("store(out, r * width, m)", "store(out, r * width, m, index=i)", "DSL_SHAPE"),
        ("store(out, r * width, m)", "store(out, r * width, m, add=1)", "DSL_SYNTAX"),
    ],
)
def test_what_is_wrong_is_found(old: str, new: str, code: str) -> None:
    text = documented()["max_pool_rows"]
    assert old in text
    try:
        found = check(parse(text.replace(old, new)), {"x": F32})
    except DslError as e:
        found = e.diagnostics
    assert code in [d.code for d in found]


def test_an_index_that_is_loaded_itself_is_refused() -> None:
    text = documented()["embedding"].replace("index=i", "index=x")
    assert "DSL_ALIAS" in [d.code for d in check(parse(text))]
