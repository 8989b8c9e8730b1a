"""AscendCraft's tile DSL: language (docs/dsl.md), checker, NumPy interpreter, and lowering to Ascend C."""

from akgen.tools.dsl.check import check
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.ir import Program
from akgen.tools.dsl.parse import parse

__all__ = ["DslError", "Program", "check", "interpret", "parse"]
