"""Sorted records: rows of any length, ties in their order, the best of many tiles; interpreter and twin."""

from collections.abc import Callable

import numpy as np
import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError, Program, check
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from tests.dsl.running import Array, OnTwin, documented

F32, I32 = DType.FLOAT32, DType.INT32
LONG = """
@ascend_kernel
def k(x, values, places, n: int, most: int, tile: int):
    t = alloc_ub(tile, float32)
    p = alloc_ub(2 * tile, float32)
    best = alloc_ub(2 * align_up(most, 32), float32)
    v = alloc_ub(most, float32)
    i = alloc_ub(most, int32)
    with compute():
        fill(best, 0.0)
    for j in range(0, n, tile):
        m = min(tile, n - j)
        with copyin():
            load(t, x, j, m)
        with compute():
            sort(p, t, j)
            keep_top(best, p, j == 0)
    with compute():
        sorted_values(v, best, most)
        sorted_places(i, best, most)
    with copyout():
        store(values, 0, v)
        store(places, 0, i)

@ascend_host
def h(x: Tensor, values: Output, places: Output, most: int):
    k[1](x, values, places, x.numel, most, 512)
"""


def few_values(shape: tuple[int, ...]) -> Array:
    """Return numbers with many ties, infinities among them."""
    x = np.random.default_rng(sum(shape)).integers(-40, 40, shape).astype(np.float32)
    x[x == -40] = -np.inf
    return x


def run(on_twin: OnTwin | None, program: Program, x: Array, most: int) -> None:
    assert check(program, dtypes={"x": F32, "values": F32, "places": I32}) == ()
    order = np.argsort(-x, axis=-1, kind="stable")[..., :most]
    metas = [TensorMeta(dtype=d, shape=order.shape) for d in (F32, I32)]
    attrs = {program.host.attrs[0].name: most}
    results = [interpret(program, [x], attrs, dtypes={"x": F32}, outputs=metas)]
    if on_twin is not None:
        results.append(on_twin(program, [x], [F32], metas, attrs)[0])
    for values, places in results:
        np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))
        np.testing.assert_array_equal(places, order)


@pytest.mark.parametrize(
    ("shape", "most"), [((50, 7), 7), ((3, 33), 5), ((5, 200), 200), ((2, 1500), 64), ((1, 3000), 3000)]
)
def test_rows(on_twin: OnTwin, program: Callable[[str], Program], shape: tuple[int, ...], most: int) -> None:
    run(on_twin, program("top_k"), few_values(shape), most)


@pytest.mark.parametrize(("count", "most"), [(512, 3), (5003, 100), (700, 400)])
def test_the_best_of_many_tiles(on_twin: OnTwin, count: int, most: int) -> None:
    run(on_twin, parse(LONG), few_values((count,)), most)


def test_records_need_room() -> None:
    text = documented()["top_k"].replace("2 * align_up(cols, 32)", "2 * cols")
    with pytest.raises(DslError, match="multiple of 64"):
        run(None, parse(text), few_values((3, 33)), 5)
