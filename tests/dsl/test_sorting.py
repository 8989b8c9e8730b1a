"""Sorted records: rows of any length, ties in their order, the best of many tiles; interpreter and twin."""

import numpy as np
import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import check
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from tests.dsl.running import Array, OnTwin

F32, I32 = DType.FLOAT32, DType.INT32
ROWS = """
@ascend_kernel
def k(x, values, places, rows: int, cols: int, width: int, most: int, per_core: int, tile: int):
    t = alloc_ub((tile, cols), float32)
    p = alloc_ub((tile, width), float32)
    v = alloc_ub((tile, most), float32)
    i = alloc_ub((tile, most), int32)
    first = program_id() * per_core
    last = min(first + per_core, rows)
    for r in range(first, last, tile):
        n = min(tile, last - r)
        with copyin():
            load(t, x, r * cols, (n, cols))
        with compute():
            sort(p, t, 0)
            sorted_values(v, p, (n, most))
            sorted_places(i, p, (n, most))
        with copyout():
            store(values, r * most, v)
            store(places, r * most, i)

@ascend_host
def h(x: Tensor, values: Output, places: Output, most: int):
    cols = x.shape[-1]
    rows = x.numel // cols
    per_core = ceil_div(rows, min(core_num(), rows))
    width = 2 * align_up(cols, 32)
    tile = min(fit_tile(k, "tile", cols=cols, width=width, most=most), per_core)
    k[ceil_div(rows, per_core)](x, values, places, rows, cols, width, most, per_core, tile)
"""
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


def run(on_twin: OnTwin | None, text: str, x: Array, most: int) -> None:
    program = parse(text)
    assert check(program, dtypes={"x": F32, "values": F32, "places": I32}) == ()
    order = np.argsort(-x, axis=-1, kind="stable")[..., :most]
    metas = [TensorMeta(dtype=d, shape=order.shape) for d in (F32, I32)]
    attrs = {"most": most}
    results = [interpret(program, [x], attrs, dtypes={"x": F32}, outputs=metas)]
    if on_twin is not None:
        results.append(on_twin(program, [x], [F32], metas, attrs)[0])
    for values, places in results:
        np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))
        np.testing.assert_array_equal(places, order)


@pytest.mark.parametrize(
    ("shape", "most"), [((50, 7), 7), ((3, 33), 5), ((5, 200), 200), ((2, 1500), 64), ((1, 3000), 3000)]
)
def test_rows(on_twin: OnTwin, shape: tuple[int, ...], most: int) -> None:
    run(on_twin, ROWS, few_values(shape), most)


@pytest.mark.parametrize(("count", "most"), [(512, 3), (5003, 100), (700, 400)])
def test_the_best_of_many_tiles(on_twin: OnTwin, count: int, most: int) -> None:
    run(on_twin, LONG, few_values((count,)), most)


def test_records_need_room() -> None:
    with pytest.raises(Exception, match="multiple of 64"):
        run(None, ROWS.replace("2 * align_up(cols, 32)", "2 * cols"), few_values((3, 33)), 5)
