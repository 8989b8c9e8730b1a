"""Values of the wrong type, and text that is no C++."""

import re

from akgen.tools.twin.call_findings import plain_types
from akgen.tools.twin.code import Code, Found
from akgen.tools.twin.compiler_text import CompilerError

_Q = r"['‘`]([^'’`]+)['’`](?: \{aka [^}]*\})?"
_TENSOR = r"(?:AscendC::)?LocalTensor<"


def mismatch(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a conversion that does not exist, with the conversion that is meant where it is clear."""
    del match, code
    return Found("TYPE_MISMATCH", plain_types(error.text).rstrip(".") + ".", _conversion(error.text))


def narrowing(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del error, code
    given, wanted = plain_types(match[1]), plain_types(match[2])
    return Found(
        "TYPE_MISMATCH",
        f"A value of type {given} is narrowed to {wanted} inside braces, which C++ refuses.",
        f"Write static_cast<{wanted}>(...) around the value.",
    )


def digit(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del match, code
    return Found("SYNTAX", f"An identifier starts with a digit ({error.text}).", "Start names with a letter.")


def unclosed(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a brace that is never closed, at the line that by its indentation stands outside of it."""
    del match
    at = _left_of_its_brace(code.files.get(error.file or "", ""))
    if at is None:
        return Found("SYNTAX", "A brace is opened and never closed.", "Close it.")
    return Found(
        "SYNTAX", "A brace that is opened before this line is never closed.", "Put } before this line.", at
    )


def _left_of_its_brace(text: str) -> int | None:
    """Return the first line, from 1, that is indented less than what the braces before it hold."""
    open_at: list[int] = []  # the indentation of the lines that opened a brace
    for number, line in enumerate(text.splitlines(), start=1):
        code = re.sub(r"//.*|\"[^\"]*\"|'[^']*'", "", line)
        if (
            not code.strip()
            or code.lstrip().startswith("#")
            or re.fullmatch(r"\s*(?:\w+\s*|case .*):\s*", code)
        ):
            continue  # directives and labels stand where they like
        indent = len(line) - len(line.lstrip())
        closing = code.lstrip().startswith("}")
        if open_at and code.strip() != "{" and not closing and indent <= open_at[-1]:
            return number
        for letter in code:
            if letter == "{":
                open_at.append(indent)
            elif letter == "}" and open_at:
                open_at.pop()
    return None


def syntax(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del match, code
    return Found("SYNTAX", error.text.rstrip(".") + ".")


def _conversion(text: str) -> str | None:
    if re.search(
        rf"cannot convert ['‘]{_TENSOR}[^'’]*['’].* to ['‘](?:const )?(?:float|half|u?int\w*|bool)", text
    ):
        return "Read one element: write tensor.GetValue(0)."
    tensors = re.search(
        rf"conversion from ['‘]{_TENSOR}(.*)>['’] to non-scalar type ['‘]{_TENSOR}(.*)>['’]", text
    )
    if tensors is not None:
        wanted = plain_types(tensors[2])
        return f"Both sides need one type: write <{wanted}> in the call, or <{plain_types(tensors[1])}> on the left."
    plain = re.search(rf"invalid conversion from {_Q} to {_Q}", text)
    if plain is not None:
        wanted = plain_types(plain[2])
        return f"Write {f'({wanted})' if wanted.endswith('*') else f'static_cast<{wanted}>'}(...) around the value."
    return None
