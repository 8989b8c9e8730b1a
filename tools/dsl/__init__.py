"""AscendCraft's tile DSL: language (language.md), checker, NumPy interpreter, and lowering to Ascend C.

What somebody wrote is read by `tools/dsl/parse.py`. The interpreter is `tools/dsl/interpret.py`; it brings SciPy.
"""

from akgen.tools.dsl.check import check
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.ir import Program
from akgen.tools.dsl.lower import Passes, lower, lower_passes

__all__ = ["DslError", "Passes", "Program", "check", "lower", "lower_passes"]
