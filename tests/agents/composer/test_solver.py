"""Budgets hold for every size; every element is written exactly once."""

import functools
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from akgen.agents.composer.solver import Solved
from akgen.agents.plan import Buffer, Tiling, check_tiling
from akgen.knowledge.chip import chip
from akgen.tools.compose.program import Composition
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.ir import Program
from akgen.tools.dsl.parse import parse
from tests.tools.compose.composing import Fn, composed, normal

CHIP = chip("Ascend910B2")
KERNELS: dict[str, Fn] = {
    "flat": torch.tanh,
    "rows": lambda x: torch.softmax(x, -1),
    "columns": lambda x: x - x.mean(0, keepdim=True),
    "tiles": lambda x: x + x[:, :1] * x[:1],
}
sizes = st.integers(1, 3000)


@functools.cache
def program(name: str) -> tuple[Composition, Program]:
    composition, _, _ = composed(KERNELS[name], (normal(33, 17),), (normal(40, 70, seed=2),))
    return composition, parse(composition.dsl)


def solved(name: str, rows: int, cols: int, dtype: DType) -> Solved:
    composition, parsed = program(name)
    meta = TensorMeta(dtype=dtype, shape=(rows, cols))
    metas = dict.fromkeys((*composition.face.input_names, *composition.face.output_names), meta)
    return Solved(parsed, metas, {}, CHIP.core_aiv)


@pytest.mark.parametrize("name", KERNELS)
@given(rows=sizes, cols=st.one_of(sizes, st.integers(3001, 200_000)), dtype=st.sampled_from(list(DType)[:3]))
@settings(max_examples=40, deadline=None)
def test_no_plan_exceeds_the_chip(name: str, rows: int, cols: int, dtype: DType) -> None:
    tiling = solved(name, rows, cols, dtype).tiling()
    assert check_tiling(tiling, CHIP) == ()
    assert tiling.ub_bytes <= CHIP.ub_size - 8192
    assert 1 <= tiling.block_dim <= CHIP.core_aiv


@pytest.mark.parametrize("name", ["flat", "rows", "tiles"])
@given(rows=st.integers(1, 130), cols=st.integers(1, 700), cores=st.sampled_from([1, 3, 48]))
@settings(max_examples=25, deadline=None)
def test_every_element_is_written(name: str, rows: int, cols: int, cores: int) -> None:
    """Outputs are poisoned with NaN before."""
    x = np.random.default_rng(rows * 1000 + cols).standard_normal((rows, cols)).astype(np.float32)
    (got,) = interpret(program(name)[1], [x], {}, core_num=cores)
    np.testing.assert_allclose(got, KERNELS[name](torch.from_numpy(x)).numpy(), rtol=3e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "units"), [("flat", lambda r, c: r * c), ("rows", lambda r, c: r)])
@given(rows=sizes, cols=st.integers(1, 300))
@settings(max_examples=40, deadline=None)
def test_the_shares_of_the_cores_add_up_to_the_work(
    name: str, units: Callable[[int, int], int], rows: int, cols: int
) -> None:
    found = solved(name, rows, cols, DType.FLOAT32)
    count, share = units(rows, cols), int(found.scalars["per_core"])
    shares = [max(0, min((k + 1) * share, count) - k * share) for k in range(found.launched.cores)]
    assert sum(shares) == count


def test_work_is_spread_over_as_many_cores_as_are_worth_their_start() -> None:
    assert solved("flat", 10000, 1000, DType.FLOAT32).tiling().block_dim == CHIP.core_aiv
    assert solved("rows", 10000, 1000, DType.FLOAT32).tiling().block_dim == CHIP.core_aiv
    assert 8 <= solved("flat", 1000, 1000, DType.FLOAT32).tiling().block_dim < CHIP.core_aiv / 2
    assert 2 <= solved("rows", 1000, 100, DType.FLOAT32).tiling().block_dim < CHIP.core_aiv / 2
    assert solved("flat", 1, 100, DType.FLOAT32).tiling().block_dim == 1


def test_a_plan_over_budget_is_refused_with_the_numbers() -> None:
    buffers = (Buffer(name="x", role="in", dtype=DType.FLOAT32, size_bytes=65536, copies=4),)
    tiling = Tiling(block_dim=8, tile_length=16384, buffers=buffers, ub_bytes=262144, double_buffer=True)
    (found,) = check_tiling(tiling, CHIP)
    assert found.code == "PLAN_OVERFLOW"
    assert "196608" in found.text and "262144" in found.text
