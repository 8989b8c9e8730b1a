"""A few mutated kernels of a fixed seed; `make fuzz N=20000` runs many."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

SPEC = importlib.util.spec_from_file_location("twin_fuzz", Path(__file__).with_name("fuzz.py"))
assert SPEC is not None and SPEC.loader is not None
FUZZ: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FUZZ)
PAIRS = [p for p in FUZZ.load("pairs").read_pairs() if not p.name.startswith("host/")]


@pytest.mark.parametrize("first", sampled(range(0, 40, 8), 3))
def test_a_mutant_ends_in_an_outcome(twin: TwinToolchain, tmp_path: Path, first: int) -> None:
    for number in range(first, first + 8):
        ended = FUZZ.outcome_of(twin, FUZZ.mutant(PAIRS, number, 0), tmp_path / str(number))
        assert ended in ("ran", "trap", "timeout", "compile_error", "cheat", "tiling_error")


def test_mutants_are_drawn_again_from_their_number() -> None:
    first, second = (FUZZ.mutant(PAIRS, 17, 3).correct.digest for _ in range(2))
    assert first == second != FUZZ.mutant(PAIRS, 18, 3).correct.digest
