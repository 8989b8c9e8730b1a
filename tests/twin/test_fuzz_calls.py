"""A few launches that call the runtime with any bytes, of a fixed seed; `make fuzz-calls N=5000` runs many."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

SPEC = importlib.util.spec_from_file_location("twin_fuzz_calls", Path(__file__).with_name("fuzz_calls.py"))
assert SPEC is not None and SPEC.loader is not None
FUZZ: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FUZZ)


@pytest.fixture(scope="module")
def calls(twin: TwinToolchain, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return FUZZ.Calls(twin, tmp_path_factory.mktemp("calls"))


def test_every_entry_point_is_called() -> None:
    found = {entry.name for entry in FUZZ.entries()}
    assert len(found) > 150
    assert {"copy_in", "print", "read_tiling", "event_alloc", "queue_free", "softmax"} <= found


@pytest.mark.parametrize("first", sampled(range(0, 48, 12), 2))
def test_a_launch_ends_in_an_outcome(calls: Any, first: int) -> None:
    ended = [calls.codes(0, number) for number in range(first, first + 12)]
    assert any(ended)
