"""AscendCraft's tile DSL: language (docs/dsl.md), checker, NumPy interpreter, and lowering to Ascend C.

The interpreter is `tools/dsl/interpret.py`; it brings SciPy, so only who interprets imports it.
"""

from akgen.tools.dsl.check import check
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.ir import Program
from akgen.tools.dsl.lower import Passes, lower, lower_passes
from akgen.tools.dsl.parse import parse

__all__ = ["DslError", "Passes", "Program", "check", "lower", "lower_passes", "parse"]
