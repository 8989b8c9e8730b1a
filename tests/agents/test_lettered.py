"""Sizes that are told by letters stand in the shapes that are spelt with them; what may be no size stays."""

import pytest

from akgen.agents.requests.abbreviated import with_sizes

WRITTEN = {
    "A is MxK, B is [K, N], M=64 N=32 K=2k": "A is [64, 2k], B is [2k, 32]",
    "x (B, 7, D), where B = 4 and D = 8, fp16": "x [4, 7, 8], fp16",
    "A 是 [M, K]，其中 M=24，K=48，fp16": "A 是 [24, 48]，fp16",
}
LEFT = [
    "relu, x is [M, N], M=4, M=8, N=8",  # two numbers for a letter
    "x is [M, N], M=4",  # one letter without a number
    "topk of [4, 8], k=5, n=2",  # no shape in letters
    "f(x, y) with x=1 and z=2",
    "x (B, T, C) = (4, 128, 32)",
]


@pytest.mark.parametrize("said", WRITTEN)
def test_sizes_stand_in_the_place_of_their_letters(said: str) -> None:
    assert with_sizes(said) == WRITTEN[said]


@pytest.mark.parametrize("said", LEFT)
def test_what_is_no_size_stays(said: str) -> None:
    assert with_sizes(said) is None
