"""Reduce a compiler's text to its first real cause: one code, one sentence, file, line and what to do.

Text that is no C++ is looked at here: brackets, semicolons, names that begin with a digit.
"""

import re
from collections.abc import Callable, Sequence

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import without_comments
from akgen.tools.twin.findings import (
    call_findings,
    member_findings,
    name_findings,
    type_findings,
)
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError, errors, in_gcc_words
from akgen.tools.twin.findings.type_findings import QUOTED

MOST = 5  # findings of one compile
# What a compiler says of code that an earlier error has made meaningless.
_ECHOES = ("COMPILE_ERROR", "SYNTAX")


def explain(stderr: str, code: Code) -> tuple[Diagnostic, ...]:
    """Return the findings in a compiler's output, the real cause first, without what only follows from it."""
    found: list[Diagnostic] = []
    broken: list[str] = []  # the lines that earlier findings are about
    places: set[tuple[str | None, int | None]] = set()
    every = [in_gcc_words(error) for error in errors(stderr, code.owns)]
    unended = name_findings.unended_struct(code) if every else None
    if unended is not None:
        return (unended,)
    # What is opened and never closed makes the compiler say much else: that tells where it was opened.
    every.sort(key=lambda e: ("unterminated argument list" not in e.text, "at end of input" not in e.text))
    for error in every:
        diagnostic = classify(error, code)
        place = (diagnostic.file, diagnostic.line)
        told = any((d.code, d.text) == (diagnostic.code, diagnostic.text) for d in found)
        if told or (diagnostic.line is not None and place in places):
            continue
        if found and _follows(diagnostic, found, broken, code):
            continue
        places.add(place)
        broken.append(code.line(error))
        found.append(diagnostic)
    # A missing include makes everything after it wrong: such a finding leads.
    found.sort(key=lambda d: 0 if d.code == "INCLUDE_MISSING" else 1)
    if not found:
        tail = " ".join(stderr.strip().splitlines()[-3:])
        found.append(
            Diagnostic(code="COMPILE_ERROR", text=f"The compiler failed: {tail[-300:]}", stage="compile")
        )
    return tuple(found[:MOST])


def classify(error: CompilerError, code: Code) -> Diagnostic:
    """Turn one compiler error into a finding with a stable code and, where one is known, the remedy."""
    for pattern, make in _RULES:
        match = re.search(pattern, error.text)
        if match is not None:
            found = make(match, error, code)
            break
    else:
        found = Found("COMPILE_ERROR", error.text)
    return Diagnostic(
        code=found.code,
        text=found.text,
        said=error.text if error.text != found.text else None,
        file=error.file,
        line=found.line or error.line,
        remedy=found.remedy,
        stage="compile",
    )


def _follows(diagnostic: Diagnostic, found: list[Diagnostic], broken: list[str], code: Code) -> bool:
    """Say whether a finding follows from an earlier one: it has the same remedy, or it is about what that one broke."""
    if diagnostic.code in _ECHOES:
        return True
    if diagnostic.code not in ("UNDECLARED", "UNKNOWN_API"):
        return False
    if diagnostic.remedy is not None and any(d.remedy == diagnostic.remedy for d in found):
        return True
    name = diagnostic.text.split()[0].rstrip(":")
    parsed = found[0].code != "SYNTAX"
    return (
        not parsed
        or code.declares(name)
        or any(re.search(rf"\b{re.escape(name)}\b", line) for line in broken)
    )


def _static_assert(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del error, code
    return Found(match[1], match[2].strip())


_Q = r"['‘`]([^'’`]+)['’`]"


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
    del match
    missing = re.search(r"expected '([^']+)' before '([^']+)'", error.text)
    remedy = f"Put {missing[1]} before {missing[2]}." if missing is not None else None
    member = (
        re.search(r"(\w+)(\.|->)(\w+)<", code.line(error)) if "primary-expression" in error.text else None
    )
    if member is not None:
        called = f"{member[1]}{member[2]}template {member[3]}<...>(...)"
        remedy = f"Write {called}: its class depends on a template parameter."
    return Found("SYNTAX", error.text.rstrip(".") + ".", remedy)


def unended_class(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a class without a semicolon after it."""
    del match, error, code
    return Found(
        "SYNTAX",
        "A class or struct before this declaration ends without a semicolon.",
        "Write }; at the end of the class.",
    )


_RULES: Sequence[tuple[str, Callable[[re.Match[str], CompilerError, Code], Found]]] = (
    (r"(?:static assertion failed: |^)AKGEN:(\w+):\s*(.*)", _static_assert),
    (r"(?:^|: )([^\s:]+\.\w+|[\w/.]+): No such file or directory", name_findings.include),
    (
        r"unable to find numeric literal operator|before numeric constant|invalid suffix .* on integer",
        digit,
    ),
    (r"narrowing conversion of .* from " + _Q + r"(?: \{aka [^}]*\})? to " + _Q, type_findings.narrowing),
    (_Q + r" was not declared in this scope", name_findings.undeclared),
    (_Q + r" is not a member of " + _Q, name_findings.undeclared),
    (_Q + r" has not been declared", name_findings.undeclared),
    (_Q + r" in namespace " + _Q + r" does not name", name_findings.undeclared),
    (_Q + r" is not a namespace-name", name_findings.undeclared),
    (r"^expected namespace name", name_findings.no_namespace),
    (_Q + r" does not name a (?:template )?type", name_findings.undeclared),
    (r"there are no arguments to " + _Q, name_findings.undeclared),
    (_Q + r"(?: \{aka .*\})? has no member named " + _Q, member_findings.member),
    (
        r"request for member " + _Q + r" in .*, which is of pointer type ['‘]([^'’]+)['’]",
        member_findings.pointer,
    ),
    (r"base operand of ['‘]->['’] (?:has|is not a pointer).*?type ['‘]([^'’]+)['’]", member_findings.no_pointer),
    (r"base operand of ['‘]->['’] has non-pointer type ['‘]([^'’]+)['’]", member_findings.no_pointer),
    (r"no matching (?:member )?function for call to " + _Q, call_findings.no_match),
    (r"no match for call to " + _Q, call_findings.no_match),
    (r"too (few|many) arguments to function " + _Q, call_findings.arity),
    (r"(?:redefinition|conflicting declaration|redeclaration) of " + _Q, name_findings.redefined),
    (r"undefined reference to '([^']+)'", name_findings.link),
    (
        rf"cannot bind non-const lvalue reference of type {QUOTED} to an rvalue of type {QUOTED}",
        type_findings.unbound,
    ),
    (
        r"cannot convert|invalid conversion|invalid initialization|could not convert|cannot bind|no match for .operator"
        r"|invalid operands|invalid cast|invalid .*_cast|incompatible types|conversion from .* requested",
        type_findings.mismatch,
    ),
    (r'unterminated argument list invoking macro(?: "(\w+)")?', unclosed_call),
    (r"expected .* at end of input", unclosed),
    (r"^return-statement with a value, in function returning 'void'", type_findings.void_result),
    (r"class template argument deduction failed|deduction guide for deduction of", call_findings.undeduced),
    (r"invalid use of member function " + _Q, call_findings.uncalled),
    (r"wrong number of template arguments \((\d+), should be (?:at least )?(\d+)", call_findings.too_few_types),
    (
        r"two or more data types in declaration|before string constant|^a storage class can only"
        r"|expected ';' after (?:class|struct)",
        unended_class,
    ),
    (r"^expected class-name before", name_findings.no_base),
    (r"^expected (?:constructor, destructor|type-specifier|unqualified-id)", name_findings.no_macro),
    (_Q + r" is an inaccessible base of " + _Q, name_findings.private_base),
    (r"use of deleted function " + _Q, call_findings.deleted),
    (r"the address of " + _Q + r" is not a valid template argument", type_findings.no_fixed_address),
    (r"the value of " + _Q + r" is not usable in a constant expression", type_findings.no_constant),
    (r"^" + _Q + r" is not a constant expression", type_findings.no_constant),
    (
        r"expected |stray |unterminated|missing terminating|extended character|does not match any",
        syntax,
    ),
)  # fmt: skip
