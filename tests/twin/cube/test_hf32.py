"""HF32: factors of a product of floats keep 11 bits of their fraction, and the cube takes twice as many in one step."""

import numpy as np
import pytest

from tests.twin.cube.test_mixed import ALL, matmul
from tests.twin.cube.test_tiles import draw, tile

MODES = pytest.mark.parametrize("away", [False, True], ids=["ties to even", "ties away from zero"])

WAYS = {True: "true", False: "HF32TransMode::NEAREST_EVEN"}  # both ways to write it


def hf32(values: np.ndarray, *, away: bool) -> np.ndarray:
    word = values.view(np.uint32)
    half = 0x800 if away else 0x7FF + ((word >> 12) & 1)
    return ((word + half) & np.uint32(0xFFFFF000)).astype(np.uint32).view(np.float32)


def factors() -> tuple[np.ndarray, np.ndarray]:
    a, b = draw("float32", 16, 16), draw("float32", 16, 16)[::-1].copy()
    a[0, :2] = 1 + 2.0**-12, -1 - 2.0**-12
    return a, b


def product(probe, *, mode: str = ""):
    a, b = factors()
    multiply = f"{mode} Mmad(c1, a2, b2, mm);"
    return tile(probe, a, b.T.copy(), np.zeros((16, 16), np.float32), MULTIPLY=multiply)


@MODES
def test_mmad_rounds_its_factors(probe, away):
    a, b = factors()
    ran = product(probe, mode=f"SetHF32Mode(true); SetHF32TransMode({WAYS[away]}); SetMMRowMajor();")
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, hf32(a, away=away) @ hf32(b, away=away), atol=1e-6)
    assert np.abs(ran.y - hf32(a, away=not away) @ hf32(b, away=not away)).max() > 1e-5


def test_the_mode_ends(probe):
    a, b = factors()
    ran = product(probe, mode="SetHF32Mode(true); SetHF32Mode(false);")
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a @ b, atol=1e-6)


def test_it_takes_half_the_steps(probe):
    def busy(mode: str) -> float:
        ran = product(probe, mode=mode + "Mmad(c1, a2, b2, mm);" * 20)
        assert ran.launch.profile is not None
        return {p.pipe: p.busy_us for p in ran.launch.profile.pipes}["M"]

    assert busy("SetHF32Mode(true);") < busy("")


@MODES
def test_a_matmul_object_rounds_its_factors(probe, away):
    a, b = draw("float32", 64, 96), draw("float32", 96, 64)
    run = f"mm.SetHF32(true, {int(away)}); {ALL}"
    ran = matmul(probe, a, b, np.zeros((64, 64), np.float32), run)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, hf32(a, away=away) @ hf32(b, away=away), atol=1e-5)
    assert np.abs(ran.y - a @ b).max() > 1e-5
