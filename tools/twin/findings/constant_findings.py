"""What must be known when the kernel is compiled, and is not."""

import re

from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError


def no_fixed_address(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a local constant that is a template argument by reference, as the library's configurations are."""
    del error, code
    text = (
        f"{match[1]} is a template argument by reference; a constant within a function has no fixed address."
    )
    return Found(
        "WRONG_ARGUMENTS", text, f"Declare {match[1]} static constexpr, or constexpr outside of functions."
    )


def no_constant(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a variable where only a constant can stand: a template argument, the condition of if constexpr."""
    del error, code
    text = f"{match[1]} is not known when the kernel is compiled, and it must be where it stands."
    remedy = (
        f"Make {match[1]} constexpr if its value is a constant; else choose among constants with if, "
        "or by the tiling key with TILING_KEY_IS."
    )
    return Found("WRONG_ARGUMENTS", text, remedy)
