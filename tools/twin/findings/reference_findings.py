"""Arguments that a function takes by reference, so that it may change them: they must be variables."""

import re

from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.type_findings import QUOTED, mismatch, plain_types

# What g++, then clang++, says of a candidate that wants a variable.
_VALUE = rf"cannot convert {QUOTED} \(type {QUOTED}\) to type {QUOTED}"
_NO_LVALUE = r"expects an lvalue for \d{1,3}\w\w argument"
_CONST = r"LocalTensor<.*(?:have incompatible cv-qualifiers|would lose const qualifier)"


def no_variable(name: str, notes: tuple[str, ...]) -> Found | None:
    """Explain a call whose only fault is a value, or a constant, where the function wants a variable."""
    for note in notes:
        value = re.search(_VALUE, note)
        if value is not None and _changed(value[3]) and (value[2] + "&" == value[3] or value[1].isdigit()):
            return _found(name, value[3])
        if re.search(_NO_LVALUE, note):
            return _found(name, "LocalTensor<T>&")
        if re.search(_CONST, note):
            text = f"{name} takes its argument by reference and may change it; a const one is given."
            return Found("WRONG_ARGUMENTS", text, "Declare the argument without const.")
    return None


def unbound(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain the result of a call or an index that is handed to a function that takes a variable."""
    if match[2] + "&" != match[1]:
        return mismatch(match, error, code)
    called = re.search(r"initializing argument \d+ of ['‘][^'’(]*?(\w+)\(", " ".join(error.notes))
    return _found(called[1] if called is not None else "The function", match[1])


def _changed(wanted: str) -> bool:
    """Say whether a parameter is a reference through which a function may write."""
    return wanted.endswith("&") and not wanted.startswith("const ")


def _found(name: str, wanted: str) -> Found:
    kind = plain_types(wanted).removesuffix("&")
    text = f"{name} takes a {kind} by reference and may change it; what is given is no variable."
    return Found(
        "WRONG_ARGUMENTS", text, f"Make it a variable first ({kind} name = ...;) and hand that over."
    )
