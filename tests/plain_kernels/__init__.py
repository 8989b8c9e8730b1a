"""Kernels that tests put mistakes into: the expert kernel for element-wise work, and two plain ones, a row at a time.

Their text stays as it is, so that a test's mistakes find their place when an expert kernel gets faster.
"""

from functools import cache
from pathlib import Path

from akgen.knowledge.patterns import Pattern, patterns, read_pattern

_HERE = Path(__file__).resolve().parent


@cache
def plain_kernels() -> tuple[Pattern, ...]:
    own = tuple(read_pattern(path.parent) for path in sorted(_HERE.glob("*/pattern.json")))
    return (*(p for p in patterns() if p.name == "elementwise"), *own)
