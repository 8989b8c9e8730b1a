"""The error bounds of operations on complex numbers hold for PyTorch itself, and leave wrong ones no room."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.tools.reference.test_rounding import bound, numbers

as_complex, as_real = torch.view_as_complex, torch.view_as_real


def rotated(x: torch.Tensor) -> torch.Tensor:
    """Turn pairs by angles that grow, as a shift of frequency or rotary positions do."""
    angles = 0.157 * torch.arange(x.shape[-2], dtype=torch.float32)
    return as_real(as_complex(x) * torch.polar(torch.ones_like(angles), angles).conj())


def in_place(x: torch.Tensor) -> torch.Tensor:
    z = as_complex(x).clone()
    z.mul_(z.conj()).add_(1j)
    z[0] = z[1] * 2
    return as_real(z)


FUNCTIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "rotated": rotated,
    "product": lambda x: as_real(as_complex(x) * as_complex(x.flip(0))),
    "quotient": lambda x: as_real(as_complex(x) / (as_complex(x.flip(0)) + 4)),
    "with numbers": lambda x: as_real((2 - as_complex(x)) * (1 + 2j) + x[..., 0] / 3),
    "size": lambda x: as_complex(x).abs(),
    "angle": lambda x: as_complex(x.abs() + 1).angle(),
    "power": lambda x: (as_complex(x).exp().real, as_complex(x).imag)[0],
    "parts": lambda x: torch.complex(x[..., 0] * 1.1, x[..., 1].sin()).real,
    "sum": lambda x: as_real(as_complex(x).sum(-1)),
    "mean over all": lambda x: as_real(as_complex(x).mean()),
    "matrices": lambda x: as_real(as_complex(x) @ as_complex(x).mT.conj()),
    "moved": lambda x: as_real(torch.cat([as_complex(x * 1.1).flip(0), as_complex(x)[:, :2].repeat(1, 8)])),
    "chosen": lambda x: as_real(torch.where(x[..., 0] > 0, as_complex(x * 1.1), 0)),
    "in place": in_place,
    "spectrum": lambda x: torch.fft.rfft(x[..., 0], norm="ortho").abs(),
    "spectrum in two axes": lambda x: as_real(torch.fft.fft2(as_complex(x * 1.1))),
    "filtered": lambda x: torch.fft.irfft(
        torch.fft.rfft(x[..., 0]) * torch.fft.rfft(x[..., 1]), n=x.shape[-2]
    ),
    "a complex output": lambda x: as_complex(x) * as_complex(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bounds_of_complex_operations_hold_and_are_near(name: str) -> None:
    function, x = FUNCTIONS[name], numbers(16, 16, 2)
    exact, rounded = function(x.double()), function(x)
    found = bound(function, x)
    assert found is not None and found.shape == exact.shape and not found.is_complex()
    assert ((rounded - exact).abs() <= found + 1e-12).all()
    assert found.max() <= 1e-4 * exact.abs().max()  # nothing wrong fits into it


def test_half_inputs_are_computed_with_in_float32() -> None:
    x = numbers(8, 8, 2).half()
    found, plain = (
        bound(lambda v, f=f: f(v.float()).abs().sum(), x, dtype=torch.float16) for f in (rotated, abs)
    )
    assert 0.9 * plain <= found <= 1.5 * plain


def test_what_has_no_rule_has_no_bound() -> None:
    assert bound(lambda x: as_complex(x).sinh().real, numbers(4, 2)) is None
