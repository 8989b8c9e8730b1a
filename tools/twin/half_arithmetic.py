"""Arithmetic on half scalars, which the device's compiler refuses: the scalar unit has none.

g++ computes it without a word. Its first internal form (scalar_casts.py) has every operation with the type of its
result. Constants are folded by then, as the device's compiler folds them; comparisons and conversions are allowed, and
so is what the twin's headers do.
"""

import re
from collections.abc import Iterator, Mapping

from akgen.tools.outcome import Diagnostic

_HALF = frozenset({"half", "_Float16", "float16_t"})
_FUNCTION = "\n;; Function "
_MENTION = re.compile(r"^  (?:const )?(?:half|_Float16|float16_t) ", re.MULTILINE)
_DECLARED = re.compile(r"^  (?:static |const )*(?P<type>[\w]+) (?P<name>[\w.]+);$", re.MULTILINE)
_COMPUTED = re.compile(
    r"^\s*\[(?P<file>[^\]:]+):(?P<line>\d+):\d+\] (?P<name>[\w.]+) =(?: ?\{v\})? \S+ (?P<sign>[-+*/]) \S+;$",
    re.MULTILINE,
)


def refused_arithmetic(dump: str, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each line of the project's `files` that adds, subtracts, multiplies or divides halves."""
    found: dict[tuple[str, int], str] = {}
    for function in dump.split(_FUNCTION):
        if _MENTION.search(function):
            for file, line, sign in _operations(function):
                name = file.removeprefix("./")
                if name in files:
                    found.setdefault((name, line), sign)
    return tuple(
        Diagnostic(
            code="HALF_ARITHMETIC",
            text=f"Two halves are combined with {sign} in scalar code; the device's compiler refuses that.",
            file=file,
            line=line,
            remedy="Compute in float: half(static_cast<float>(a) + static_cast<float>(b)); or work on tensors.",
            stage="compile",
        )
        for (file, line), sign in sorted(found.items())
    )


def _operations(function: str) -> Iterator[tuple[str, int, str]]:
    types = {match["name"]: match["type"] for match in _DECLARED.finditer(function)}
    for match in _COMPUTED.finditer(function):
        name = match["name"]
        kind = types.get(name) or types.get(re.sub(r"_\d+$", "", name))
        if kind in _HALF:
            yield match["file"], int(match["line"]), match["sign"]
