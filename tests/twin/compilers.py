"""The compilers that tests of the twin go through: the machine's first one, and clang++ where it is installed."""

import shutil

import pytest

CLANG = next((n for n in ("clang++", "clang++-19", "clang++-16", "clang++-14") if shutil.which(n)), None)
NEEDS_CLANG = pytest.mark.skipif(CLANG is None, reason="needs clang++: `apt install clang`")
COMPILERS = [
    pytest.param(None, id="default"),
    # slow: it builds a runtime of its own
    pytest.param(CLANG, id="clang++", marks=(pytest.mark.slow, NEEDS_CLANG)),
]
