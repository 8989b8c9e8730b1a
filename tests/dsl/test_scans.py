"""Reductions without an instruction of their own, and scans: the interpreter beside NumPy, the twin beside both."""

from collections.abc import Callable

import numpy as np
import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import Program, check
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from tests.dsl.running import FLOATS, Array, OnTwin, rounded
from tests.sampled import sampled

F32, I32 = DType.FLOAT32, DType.INT32
ALONG = """
@ascend_kernel
def k(x, out, rows: int, cols: int, per_core: int, tile: int):
    t = alloc_ub((tile, cols), {dtype})
    s = alloc_ub({shape}, {dtype})
    first = program_id() * per_core
    last = min(first + per_core, rows)
    for r in range(first, last, tile):
        n = min(tile, last - r)
        with copyin():
            load(t, x, r * cols, (n, cols))
        with compute():
            {operation}
        with copyout():
            store(out, {offset}, s)

@ascend_host
def h(x: Tensor, out: Output):
    cols = x.shape[-1]
    rows = x.numel // cols
    per_core = rows if {alone} else ceil_div(rows, min(core_num(), rows))
    k[ceil_div(rows, per_core)](x, out, rows, cols, per_core, min(fit_tile(k, "tile", cols=cols), per_core))
"""
FLAT = """
@ascend_kernel
def k(x, out, n: int, tile: int):
    t = alloc_ub(tile, {dtype})
    s = alloc_ub({shape}, {dtype})
    with copyin():
        load(t, x, 0, n)
    with compute():
        {operation}
    with copyout():
        store(out, 0, s)

@ascend_host
def h(x: Tensor, out: Output):
    k[1](x, out, x.numel, align_up(x.numel, 64))
"""


def values(shape: tuple[int, ...], dtype: DType, name: str) -> Array:
    random = np.random.default_rng(sum(shape))
    if dtype == I32:
        return random.integers(-(2**30), 2**30, shape).astype(np.int32)
    around = 1.0 if "prod" in name else 0.0
    return (around + 0.05 * random.standard_normal(shape)).astype(np.float32)


def scan(name: str, x: Array, axis: int, *, reverse: bool = False) -> Array:
    """Say it again, one element after the other."""
    f = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name.split("_")[1]]
    x = np.moveaxis(x.astype(np.float64 if x.dtype == np.float32 else np.int32), axis, 0)
    x = x[::-1] if reverse else x
    rows = [x[0]]
    with np.errstate(over="ignore"):
        for row in x[1:]:
            rows.append(f(rows[-1], row))
    found = np.stack(rows[::-1] if reverse else rows)
    return np.moveaxis(found, 0, axis)


def both(on_twin: OnTwin | None, program: Program, x: Array, dtype: DType, want: Array) -> None:
    assert check(program, dtypes={"x": dtype, "out": dtype}) == ()
    meta = [TensorMeta(dtype=dtype, shape=want.shape)]
    results = [interpret(program, [x], dtypes={"x": dtype}, outputs=meta)]
    if on_twin is not None:
        results.append(on_twin(program, [x], [dtype], meta)[0])
    for (got,) in results:
        assert isinstance(got, np.ndarray)
        bound = 0.0 if dtype == I32 else 2e-5
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=bound, atol=bound)


def scanning(name: str, dtype: DType, axis: int, *, reverse: bool) -> Program:
    operation = f"{name}(s, t, axis={axis}{', reverse=True' if reverse else ''})"
    return parse(
        ALONG.format(
            dtype=dtype, shape="(tile, cols)", operation=operation, offset="r * cols", alone=axis == 0
        )
    )


SCANS = ("scan_sum", "scan_prod", "scan_max", "scan_min")


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", [F32, I32])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [-1, 0])
def test_scans_are_interpreted(name: str, dtype: DType, reverse: bool, axis: int) -> None:
    x = values((20, 37), dtype, name)
    program = scanning(name, dtype, axis, reverse=reverse)
    both(None, program, x, dtype, scan(name, x, axis, reverse=reverse))


# Few rows and many, short and long, ragged ends in blocks, pieces and batches of rows.
@pytest.mark.parametrize(
    ("name", "dtype", "shape", "reverse"),
    sampled(
        [
            ("scan_sum", F32, (300, 37), False),
            ("scan_sum", F32, (3, 1001), False),
            ("scan_sum", F32, (7, 5003), True),
            ("scan_prod", F32, (65, 130), True),
            ("scan_max", F32, (2, 9000), True),
            ("scan_min", F32, (6000, 3), False),
            ("scan_sum", I32, (4, 2049), False),
            ("scan_max", I32, (77, 8), True),
        ],
        3,
    ),
)
def test_scans_along_rows(
    on_twin: OnTwin, name: str, dtype: DType, shape: tuple[int, ...], reverse: bool
) -> None:
    x = values(shape, dtype, name)
    both(on_twin, scanning(name, dtype, -1, reverse=reverse), x, dtype, scan(name, x, -1, reverse=reverse))


@pytest.mark.parametrize("shape", sampled([(40, 33), (100, 70), (9, 500), (300, 8)], 2, whole=True))
@pytest.mark.parametrize(("dtype", "reverse"), [(F32, False), (I32, True)])
def test_scans_down_the_rows(on_twin: OnTwin, shape: tuple[int, int], dtype: DType, reverse: bool) -> None:
    x = values(shape, dtype, "scan_sum")
    program = scanning("scan_sum", dtype, 0, reverse=reverse)
    both(on_twin, program, x, dtype, scan("scan_sum", x, 0, reverse=reverse))


@pytest.mark.parametrize(("count", "axis"), sampled([(1, -1), (13, 0), (1000, -1), (20011, -1)], 2))
def test_scans_of_one_row(on_twin: OnTwin, count: int, axis: int) -> None:
    x = values((count,), F32, "scan_sum")
    program = parse(FLAT.format(dtype=F32, shape="tile", operation=f"scan_sum(s, t, axis={axis})"))
    both(on_twin, program, x, F32, scan("scan_sum", x, 0))


def reducing(name: str, dtype: DType, axis: int) -> Program:
    shape, offset = ("tile", "r") if axis else ("cols", "0")
    operation = f"{name}(s, t, axis={axis})"
    return parse(ALONG.format(dtype=dtype, shape=shape, operation=operation, offset=offset, alone=axis == 0))


REDUCED: dict[str, Callable[..., Array]] = {
    "reduce_sum": np.sum, "reduce_prod": np.prod, "reduce_max": np.max, "reduce_min": np.min,
    "reduce_first": lambda x, axis: x[0], "reduce_last": lambda x, axis: x[-1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "axis"),
    sampled(
        [
            ("reduce_prod", F32, (300, 37), -1),
            ("reduce_prod", F32, (70, 500), -1),
            ("reduce_prod", F32, (3, 3001), -1),
            ("reduce_prod", F32, (40, 100), 0),
            ("reduce_sum", I32, (300, 37), -1),
            ("reduce_max", I32, (5, 4000), -1),
            ("reduce_min", I32, (40, 100), 0),
            ("reduce_first", F32, (40, 100), 0),
            ("reduce_last", I32, (7, 33), 0),
        ],
        3,
    ),
)
def test_reductions_by_folding(
    on_twin: OnTwin, name: str, dtype: DType, shape: tuple[int, ...], axis: int
) -> None:
    x = values(shape, dtype, name)
    wide = x.astype(np.float64) if dtype == F32 else x
    want = REDUCED[name](wide, axis=axis).astype(wide.dtype)
    both(on_twin, reducing(name, dtype, axis), x, dtype, want)


@pytest.mark.parametrize("count", sampled([5, 100, 5000], 3))
def test_the_product_of_one_row(on_twin: OnTwin, count: int) -> None:
    x = values((count,), F32, "reduce_prod")
    program = parse(FLAT.format(dtype=F32, shape="8", operation="reduce_prod(s, t)"))
    both(on_twin, program, x, F32, np.prod(x.astype(np.float64)).reshape(1))


def test_a_row_is_taken_of_rows_only() -> None:
    program = parse(FLAT.format(dtype=F32, shape="8", operation="reduce_last(s, t, axis=0)"))
    assert [d.code for d in check(program, dtypes={"x": F32, "out": F32})] == ["DSL_SHAPE"]


@pytest.mark.parametrize("dtype", sampled(FLOATS, 3))
def test_the_documented_running_sum(on_twin: OnTwin, program: Callable[[str], Program], dtype: DType) -> None:
    x = rounded(values((3, 60001), F32, "prod"), dtype)
    (want,) = interpret(program("running_sum"), [x], dtypes={"x": dtype})
    (got,), _ = on_twin(program("running_sum"), [x], [dtype], [TensorMeta(dtype=dtype, shape=x.shape)])
    assert isinstance(want, np.ndarray) and isinstance(got, np.ndarray)
    exact = rounded(np.cumsum(x.astype(np.float64), axis=-1), dtype)
    for found in (want, got):
        np.testing.assert_allclose(found.astype(np.float64), exact, rtol={F32: 2e-6}.get(dtype, 8e-3))
