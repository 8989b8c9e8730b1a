"""The compilers that tests of the twin go through (the machine's first one; clang++ if installed), and options."""

import re
import shutil

import pytest

CLANG = next((n for n in ("clang++", "clang++-19", "clang++-16", "clang++-14") if shutil.which(n)), None)
# Tests of the device's interfaces compile their kernels so: a warning in a header of ours fails them.
ALL_WARNINGS = ("-Wall", "-Wextra", "-Werror=all", "-Werror=extra")
# Kernels as users write them: the vendor's runtime gives every entry the same parameters, used or not.
WARNINGS_OF_KERNELS = (*ALL_WARNINGS, "-Wno-unused-parameter")
_OF_TESTS = (
    *("unused-parameter", "unused-variable", "unused-but-set-variable", "unused-value"),
    "infinite-recursion",
)
NEEDS_CLANG = pytest.mark.skipif(CLANG is None, reason="needs clang++: `apt install clang`")
COMPILERS = [
    pytest.param(None, id="default"),
    # slow: it builds a runtime of its own
    pytest.param(CLANG, id="clang++", marks=(pytest.mark.slow, NEEDS_CLANG)),
]


def with_own_warnings_off(source: str) -> str:
    """Return a kernel whose own code may warn, from the first line after its includes on. Lines stay."""
    off = " ".join(f'_Pragma("GCC diagnostic ignored \\"-W{name}\\"")' for name in _OF_TESTS)
    return re.sub(
        r'^(?=using namespace AscendC;|extern "C")', lambda _: f"{off} ", source, count=1, flags=re.M
    )
