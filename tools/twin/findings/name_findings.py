"""Names that do not exist: interfaces, members, enumerators, variables, headers, symbols; and what was meant."""

import difflib
import re
from collections.abc import Iterable
from functools import cache

from akgen.knowledge.cards import cards
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.header_names import enumerators, interfaces
from akgen.tools.twin.findings.names_elsewhere import EARLIER_CHIPS, HOST_NAMES, LATER_CHIPS, NOT_SIMULATED


def signature(name: str) -> str | None:
    """Return how an API is called, from its card, if it has one."""
    card = cards().get(name)
    return card.signatures[0] if card is not None and card.signatures else None


def undeclared(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a name that nothing declares; the second group of the match is the scope it was looked for in."""
    name = match[1].split("::")[-1].split("<")[0]
    scope = match[2].split("::")[-1] if match.re.groups > 1 and match[2] else None
    if name == "AKGEN_TILING_STRUCT":
        return _no_tiling_struct(code)
    if code.side == "device" and name in HOST_NAMES:
        return host_name(f"std::{name}" if f"std::{name}" in code.line(error) else name)
    if scope in enumerators(code.side):
        return enumerator(name, str(scope), code.side)
    if not code.declares(name) and (found := _elsewhere(name)):
        return found
    if name.startswith("TilingData") or name.endswith("TilingData"):
        return Found(
            "TILING_STRUCT",
            f"{name} is no tiling struct that op_host registers.",
            "Use the struct's name as BEGIN_TILING_DATA_DEF gives it, and register it.",
        )
    if code.side == "device" and name in interfaces("device") and scope is None:
        return Found(
            "UNDECLARED",
            f"{name} is a name of namespace AscendC, which is not opened here.",
            'Write `using namespace AscendC;` after #include "kernel_operator.h".',
        )
    if name[:1].isupper() and not name.isupper():
        return _unknown("UNKNOWN_API", f"{name}: no such API", closest(name, interfaces(code.side)))
    return _variable(name, error, code)


def _elsewhere(name: str) -> Found | None:
    """Explain a name that the vendor documents for other chips, or that the twin does not simulate."""
    if name in NOT_SIMULATED:
        text, remedy = NOT_SIMULATED[name]
        return Found("NOT_SIMULATED", f"{name} {text}", remedy)
    for when, others in (("later", LATER_CHIPS), ("earlier", EARLIER_CHIPS)):
        if name in others:
            text = f"{name} is an API of {when} chips; Ascend910B does not have it."
            return Found("OTHER_CHIP", text, f"Use {others[name]}.")
    return None


def no_namespace(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a namespace that does not exist, whose name clang++ leaves to the line."""
    del match
    named = re.search(r"\bnamespace\s+(?:\w+\s*::\s*)*(\w+)\s*;", code.line(error))
    if named is None:
        return Found("SYNTAX", error.text.rstrip(".") + ".")
    return undeclared(named, error, code)


def host_name(name: str) -> Found:
    """Explain a name of the host's libraries in device code."""
    instead = HOST_NAMES[name.split("::")[-1]]
    return Found("HOST_NAME", f"{name} is a host name; device code does not have it.", f"Use {instead}.")


def include(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del error, code
    remedy = "Include headers of CANN or of the project only."
    return Found("INCLUDE_MISSING", f"The header {match[1]} does not exist.", remedy)


def redefined(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del error, code
    remedy = "Keep one definition; tiling structs are generated from op_host."
    return Found("REDEFINITION", f"{match[1]} is defined twice.", remedy)


def link(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    del error
    name = match[1]
    if code.side == "device" and name.split("(")[0] in HOST_NAMES:
        return host_name(name.split("(")[0])
    return Found("LINK", f"{name} is declared and never defined.", "Define it, or call what exists.")


def _no_tiling_struct(code: Code) -> Found:
    struct = code.tiling_struct()
    call = f"REGISTER_TILING_DATA_CLASS(<Op>, {struct or '<Struct>'})"
    return Found(
        "TILING_STRUCT",
        "GET_TILING_DATA is used, but op_host registers no tiling struct for this operator.",
        f"Add {call} after END_TILING_DATA_DEF; <Op> is the name in OP_ADD."
        if struct
        else f"Define the struct with BEGIN_TILING_DATA_DEF and register it: {call}.",
    )


def enumerator(name: str, scope: str, side: str) -> Found:
    """Explain an enumerator that an enumeration does not have."""
    known = enumerators(side)[scope]
    best = closest(name, known)
    shown = [k for k in known if "RESERVED" not in k][:16]
    return Found(
        "UNDECLARED",
        f"{scope} has no {name}{meant(best)} It has {', '.join(shown)}.",
        f"Write {scope}::{best}." if best else "Take one of these.",
    )


def _variable(name: str, error: CompilerError, code: Code) -> Found:
    hint = re.search(r"did you mean ['‘]([^'’]+)['’]", error.text)
    best = closest(name, code.words() | ({hint[1]} if hint else set()), least=0.75)
    given = re.findall(r"^#define (DTYPE_\w+)", code.given, re.M) if name.startswith("DTYPE_") else []
    if given:
        text = f"{name} is not defined; the operator's types are {', '.join(given)}."
        return Found("UNDECLARED", text, "Use the macro of the input or output that op_host names.")
    if best is None:
        return Found("UNDECLARED", f"{name} is not declared here.")
    return Found(
        "UNDECLARED", f"{name} is not declared here{meant(best)}", f"Write {best}, or declare {name}."
    )


def _unknown(code: str, sentence: str, best: str | None) -> Found:
    if best is None:
        return Found(code, sentence + ".")
    return Found(code, sentence + meant(best), f"Write {signature(best) or best}.")


def meant(best: str | None) -> str:
    return f"; did you mean {best}?" if best else "."


# Words that other libraries use for what Ascend C calls otherwise; an empty one adds nothing.
_WORDS = {
    "vec": "", "vector": "", "tensor": "", "elementwise": "", "elemwise": "", "scalar": "s", "multiply": "mul",
    "divide": "div", "subtract": "sub", "addition": "add", "maximum": "max", "minimum": "min", "index": "idx",
    "logarithm": "ln", "exponential": "exp", "release": "free", "enqueue": "enque", "dequeue": "deque",
    "nearest": "rint", "truncate": "trunc", "extend": "ext", "extended": "ext", "buf": "buffer", "addr": "buffer",
}  # fmt: skip
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
CLOSE = 0.6


def closest(name: str, among: Iterable[str], least: float = CLOSE) -> str | None:
    """Return the existing name that comes nearest to a wrong one; None if none is as near as `least` of 1."""
    usual = _usual(name)
    best, best_score = None, least
    for candidate in sorted(among):
        if candidate == name:
            continue
        score = max(_likeness(name.lower(), candidate.lower()), _likeness(usual, candidate.lower()))
        score += 0.1 * (candidate in _usual_names())
        if score > best_score:
            best, best_score = candidate, score
    return best


def _likeness(name: str, other: str) -> float:
    if name == other:
        return 1.0
    alike = difflib.SequenceMatcher(None, name, other).ratio()
    longest = max(len(name), len(other))
    # Short for it, or long for it: as near as a name with a few letters wrong.
    shortened = min(len(name), len(other)) >= 3 and (name.startswith(other) or other.startswith(name))
    return max(alike, CLOSE + 0.01 + 0.2 * min(len(name), len(other)) / longest) if shortened else alike


def _usual(name: str) -> str:
    """Return the name in Ascend C's words: MulScalar as muls, ReduceAdd as reducesum."""
    parts = [p.lower() for p in _PART.findall(name)]
    if len(parts) > 1 and "reduce" in parts:
        parts = ["sum" if p in ("add", "plus") else p for p in parts]
    return "".join(_WORDS.get(p, p) for p in parts)


@cache
def _usual_names() -> frozenset[str]:
    """Return the names that stand in the cards' signatures: what kernels use most."""
    return frozenset(
        word for card in cards().values() for s in card.signatures for word in re.findall(r"\w+", s)
    )
