"""DSL programs by name, and the twin to run them on."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from akgen.tools.dsl import Program
from akgen.tools.dsl.parse import parse
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.dsl.running import OnTwin, documented


@pytest.fixture(scope="session")
def program() -> Callable[[str], Program]:
    """Return a function that gives a program of the documentation or of programs/ by name."""
    known = documented()

    def find(name: str) -> Program:
        return parse(known.get(name) or (Path(__file__).parent / "programs" / f"{name}.dsl").read_text())

    return find


@pytest.fixture(scope="session")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


@pytest.fixture
def on_twin(twin: TwinToolchain, tmp_path: Path) -> OnTwin:
    return OnTwin(twin, tmp_path)
