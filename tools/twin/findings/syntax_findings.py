"""Text that is no C++: brackets, semicolons, names that begin with a digit."""

import re

from akgen.tools.core.project import without_comments
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError


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


def unclosed_call(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a macro's arguments without an end: to the compiler the rest of the file belongs to them."""
    name = match[1] or (m[0] if (m := re.match(r"\w+", code.rest(error))) else None)  # clang++ points at it
    if name is None:
        return Found(
            "SYNTAX", "The parenthesis that a macro opens is never closed.", "Put ) after its last argument."
        )
    text = without_comments(code.files.get(error.file or "", ""))
    at = next((m.start() for m in re.finditer(rf"\b{name}\s*\(", text) if _is_open(text[m.start() :])), None)
    line = None if at is None else text.count("\n", 0, at) + 1
    return Found(
        "SYNTAX",
        f"The parenthesis that {name} opens is never closed.",
        "Put ) after its last argument.",
        line,
    )


def _is_open(text: str) -> bool:
    """Say whether the first parenthesis of a text is closed nowhere in it."""
    depth = 0
    for letter in re.sub(r'"(?:[^"\\\n]|\\.)*"', "", text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return False
    return True


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
    missing = re.search(r"expected '([^']+)' before '([^']+)'", error.text)
    remedy = f"Put {missing[1]} before {missing[2]}." if missing is not None else None
    return Found("SYNTAX", error.text.rstrip(".") + ".", remedy)


def unended_class(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a class without a semicolon after it."""
    del match, error, code
    return Found(
        "SYNTAX",
        "A class or struct before this declaration ends without a semicolon.",
        "Write }; at the end of the class.",
    )
