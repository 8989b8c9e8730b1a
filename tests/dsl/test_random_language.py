"""Random programs of the whole language: interpreter, twin and PyTorch agree. `make random-programs` runs thousands."""

import pytest

from akgen.tools.twin.toolchain import TwinToolchain
from tests.dsl.fuzz_language import agrees, drawn
from tests.dsl.random_language import RandomProgram

FOUND: tuple[str, ...] = ()  # programs that were wrong once


def programs(seed: str, count: int) -> list[RandomProgram]:
    """Return the first programs of a seed that break no rule."""
    found: list[RandomProgram] = []
    number = 0
    while len(found) < count:
        made = drawn(f"{seed}/{number}")
        found += [made] * (made is not None)
        number += 1
    return found


def test_the_interpreter_computes_what_pytorch_computes() -> None:
    for made in programs("interpreted", 30):
        agrees(made, None)


@pytest.mark.parametrize("number", range(3))
def test_the_twin_computes_what_pytorch_computes(twin: TwinToolchain, number: int) -> None:
    agrees(programs(f"twin {number}", 1)[0], twin)
