"""Values at which formulas part, among the hidden inputs."""

import pytest
import torch

from akgen.tools.reference.edges import with_edges
from akgen.tools.reference.inputs import draw

SHAPES = [(40, 300), (8, 16, 10, 12)]


def drawn(
    dtype: torch.dtype, shape: tuple[int, ...], domain: tuple[float, float] | None = None
) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    value = draw(torch.zeros(shape, dtype=dtype), "extreme", domain, generator, reach=1.0)
    (made,) = with_edges([value], [domain], generator)
    assert made.dtype == dtype and made.shape == value.shape
    return made


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
def test_halves_and_thresholds_are_among_them(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    made = drawn(dtype, shape).double()
    for step in (1.0, 0.25, 0.0625):
        assert float(((made / step) % 1 == 0.5).double().mean()) > 0.002
    assert bool((made == 0.5).any()) and bool((made == -1.0).any())


@pytest.mark.parametrize("shape", SHAPES)
def test_some_rows_and_channels_are_small_and_some_rows_zero(shape: tuple[int, ...]) -> None:
    made = drawn(torch.float32, shape)
    for axis in (-1, tuple(range(2, len(shape))) or -1, (0, *range(2, len(shape)))):
        largest = made.abs().amax(axis)
        assert float(largest.min()) < 0.1 < float(largest.quantile(0.75))
    assert bool((made.abs().amax(-1) == 0).any())


def test_they_keep_to_the_domain() -> None:
    made = drawn(torch.float32, (40, 300), (0.25, 12.0))
    assert float(made.min()) >= 0.25 and float(made.max()) <= 12.0


def test_what_lies_far_above_stays() -> None:
    assert float(drawn(torch.float32, (40, 300)).abs().max()) > 1e5
