"""Functions without `__aicore__` that device code calls: the vendor's compiler takes them for functions of the host.

The compilers here call them without a word. The first internal form (scalar_casts.py) says which functions are marked,
for `__aicore__` is an attribute that changes nothing (`language.h`). Constexpr functions belong to both sides; lambdas,
functions that nobody wrote down (default constructors), and names of which one overload is marked are passed over.
Source: "Function Execution Space Qualifier" in the vendor's compiler guide.
"""

import re
from collections.abc import Mapping, Sequence

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.internal_form import Function

# What may stand between a function's parameters and its body; parameters hold no more than one level of parentheses.
_HAS_BODY = re.compile(
    r"(?:[^(){};]|\([^(){};]*\))*\)\s*(?:const|noexcept|override|final|\s)*(?::[^;{}]*(?:\{[^{}]*\}[^;{}]*)*)?\{"
)
_OPAQUE = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def called_host_functions(every: Sequence[Function], files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each function of the project's `files` that device code calls and that is not marked."""
    ours = [f._replace(file=f.file.removeprefix("./")) for f in every]
    functions = [f for f in ours if f.file in files]
    marked = {f.name for f in functions if f.marked}
    device = "\n".join(f.body for f in functions if f.marked)
    found: dict[tuple[str, int], str] = {}
    for f in functions:
        if f.name not in marked and "<lambda" not in f.name and f" {f.symbol} (" in device:
            line = _defined(_base(f.name), files[f.file], f.line)
            if line is not None:
                found.setdefault((f.file, line), _base(f.name))
    return tuple(
        Diagnostic(
            code="HOST_FUNCTION",
            text=f"{name} is not marked __aicore__, which makes it a function of the host; device code calls it.",
            file=file,
            line=line,
            remedy=f"Write __aicore__ inline before {name}, or make it constexpr.",
            stage="compile",
        )
        for (file, line), name in sorted(found.items())
    )


def _base(name: str) -> str:
    """Return the name without scope and template arguments: up of detail::up<int>, K of K<half>::K."""
    depth, plain = 0, ""
    for c in name:
        depth += (c == "<") - (c == ">")
        plain += c if depth == 0 and c != ">" else ""
    return plain.split("::")[-1].strip()


def _defined(name: str, text: str, line: int) -> int | None:
    """Return the line where a function that is neither constexpr nor marked is written; None if nobody wrote it."""
    plain = _OPAQUE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    end = len("\n".join(plain.split("\n")[:line]))
    written = list(re.finditer(rf"(?<![\w.>~]){re.escape(name)}\s*\(", plain[:end]))
    for match in reversed(written):
        before = re.split(r"[;{}]|\b(?:public|private|protected)\s*:", plain[: match.start()])[-1]
        if not _HAS_BODY.match(plain, match.end()):
            continue  # a declaration, a call, or = default
        if re.search(r"[=(,?!&|]|\b(?:return|new)\b", re.sub(r"<[^;{}]*>|operator\s*\S+", "", before)):
            continue  # a call, not a definition
        if re.search(r"\b(?:constexpr|consteval)\b|aicore|__global__", before):
            return None
        return plain.count("\n", 0, match.start()) + 1
    return None
