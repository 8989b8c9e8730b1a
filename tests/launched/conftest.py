"""The twin as the front door makes it: it builds both forms."""

import os

import pytest

from akgen.tools.core.settings import Settings
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.settings import user_cache
from akgen.tools.twin.toolchain import TwinToolchain


@pytest.fixture(scope="session")
def launching() -> TwinToolchain:
    twin = make_twin(Settings(cache=user_cache(os.environ)))
    twin.prepare(print)
    return twin
