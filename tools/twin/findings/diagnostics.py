"""Reduce a compiler's text to its first real cause: one code, one sentence, file, line and what to do."""

import re
from collections.abc import Callable, Sequence

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.findings import (
    call_findings,
    member_findings,
    name_findings,
    syntax_findings,
    type_findings,
)
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError, errors, in_gcc_words

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
_RULES: Sequence[tuple[str, Callable[[re.Match[str], CompilerError, Code], Found]]] = (
    (r"(?:static assertion failed: |^)AKGEN:(\w+):\s*(.*)", _static_assert),
    (r"(?:^|: )([^\s:]+\.\w+|[\w/.]+): No such file or directory", name_findings.include),
    (
        r"unable to find numeric literal operator|before numeric constant|invalid suffix .* on integer",
        syntax_findings.digit,
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
        r"cannot convert|invalid conversion|invalid initialization|could not convert|cannot bind|no match for .operator"
        r"|invalid operands|invalid cast|invalid .*_cast|incompatible types|conversion from .* requested",
        type_findings.mismatch,
    ),
    (r'unterminated argument list invoking macro(?: "(\w+)")?', syntax_findings.unclosed_call),
    (r"expected .* at end of input", syntax_findings.unclosed),
    (r"^return-statement with a value, in function returning 'void'", type_findings.void_result),
    (r"class template argument deduction failed|deduction guide for deduction of", call_findings.undeduced),
    (r"invalid use of member function " + _Q, call_findings.uncalled),
    (r"wrong number of template arguments \((\d+), should be (?:at least )?(\d+)", call_findings.too_few_types),
    (
        r"two or more data types in declaration|before string constant|^a storage class can only"
        r"|expected ';' after (?:class|struct)",
        syntax_findings.unended_class,
    ),
    (r"^expected class-name before", name_findings.no_base),
    (r"^expected (?:constructor, destructor|type-specifier|unqualified-id)", name_findings.no_macro),
    (_Q + r" is an inaccessible base of " + _Q, name_findings.private_base),
    (r"use of deleted function " + _Q, call_findings.deleted),
    (
        r"expected |stray |unterminated|missing terminating|extended character|does not match any",
        syntax_findings.syntax,
    ),
)  # fmt: skip
