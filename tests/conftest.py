"""The twin, built once per machine, for every test that needs it."""

import os

import pytest

from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain


@pytest.fixture(scope="session")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain
