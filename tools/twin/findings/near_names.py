"""The existing name that is nearest to a wrong one, and names that exist, but not where they are looked for.

These are in another namespace, or in a header that is not included.
"""

import difflib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath

from akgen.knowledge.cards import cards
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.known_names import (
    Place,
    header_for,
    header_places,
    headers,
    included,
    own_places,
)
from akgen.tools.twin.precompiled import DEVICE_INCLUDE

# Words that other libraries use for what Ascend C calls otherwise; an empty one adds nothing.
_WORDS = {
    "vec": "", "vector": "", "tensor": "", "elementwise": "", "elemwise": "", "scalar": "s", "multiply": "mul",
    "divide": "div", "subtract": "sub", "addition": "add", "maximum": "max", "minimum": "min", "index": "idx",
    "logarithm": "ln", "exponential": "exp", "release": "free", "enqueue": "enque", "dequeue": "deque",
    "half": "float16", "fp": "float", "bfloat": "bf", "ok": "success", "fail": "failed", "error": "failed",
    "cmp": "compare", "dup": "duplicate", "convert": "cast", "event": "flag",
    "nearest": "rint", "truncate": "trunc", "extend": "ext", "extended": "ext", "buf": "buffer", "addr": "buffer",
}  # fmt: skip
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
CLOSE = 0.6
# What others call it, where no letters tell.
_OTHERS = {
    "GetElementNum": "GetShapeSize", "GetNumElements": "GetShapeSize", "NumElements": "GetShapeSize",
    "GetBlockDim": "GetBlockNum", "PipeSync": "PipeBarrier",
    "GetVectorCoreNum": "GetCoreNumAiv", "GetCubeCoreNum": "GetCoreNumAic", "GetDims": "GetDimNum",
    "LESS": "LT", "GREATER": "GT", "LESS_EQUAL": "LE", "GREATER_EQUAL": "GE", "EQUAL": "EQ", "NOT_EQUAL": "NE",
    "CompareMode": "CMPMODE", "CmpMode": "CMPMODE", "SelectMode": "SELMODE", "SelMode": "SELMODE",
}  # fmt: skip
_MACRO_CALL = re.compile(r"^\s*([A-Z][A-Z0-9_]{3,})\s*\(")
_TYPE_FIRST = re.compile(r"\bTILING_DATA_FIELD_DEF(?:_ARR)?\s*\(\s*(\w+)\s*,\s*(\w+)")


def closest(name: str, among: Iterable[str], least: float = CLOSE) -> str | None:
    """Return the existing name that comes nearest to a wrong one; None if none is as near as `least` of 1."""
    among = set(among)
    if _OTHERS.get(name) in among:
        return _OTHERS[name]
    usual = _usual(name)
    best, best_score = None, least
    for candidate in sorted(among):
        if candidate == name:
            continue
        other = candidate.lower()
        score = max(
            _likeness(name.lower(), other), _likeness(usual, other), _likeness(usual, _usual(candidate))
        )
        score = max(score, _REORDERED * _likeness(_sorted(name), _sorted(candidate)))
        if _parts(name) < _parts(candidate) and len(_parts(name)) > 1:
            score += _WORD_LEFT_OUT
        score += 0.1 * (candidate in _usual_names())
        if score > best_score:
            best, best_score = candidate, score
    return best


_REORDERED = 0.95  # the same words in another order, against the same letters in their order


_WORD_LEFT_OUT = 0.1  # SetBuffer for SetGlobalBuffer


def _parts(name: str) -> frozenset[str]:
    return frozenset(p.lower() for p in _PART.findall(name))


def _sorted(name: str) -> str:
    return "".join(sorted(p.lower() for p in _PART.findall(name)))


def _likeness(name: str, other: str) -> float:
    if name == other:
        return 1.0
    alike = difflib.SequenceMatcher(None, name, other).ratio()
    longest = max(len(name), len(other))
    # Short for it, or long for it: as near as a name with a few letters wrong.
    short, long = sorted((name, other), key=len)
    shortened = (len(short) >= 3 and long.startswith(short)) or (
        len(short) >= 2 and long.endswith("_" + short)
    )
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
        word
        for card in cards().values()
        if card.is_call
        for s in card.signatures
        for word in re.findall(r"\w+", s)
    )


def misplaced(name: str, scope: str | None, error: CompilerError, code: Code) -> Found | None:
    """Explain a name that some namespace or header has; None if nothing is known of it."""
    line = code.line(error)
    macro = wrong_macro(error, code)
    if macro is not None:
        return macro
    exchanged = _TYPE_FIRST.search(line)
    if exchanged is not None and exchanged[1] == name:
        text = f"{name} is no type; TILING_DATA_FIELD_DEF takes the type first."
        return Found("UNDECLARED", text, f"Write TILING_DATA_FIELD_DEF({exchanged[2]}, {name}).")
    own = [p for p in own_places(name, code) if p.file != error.file or p.scope]
    if own:
        return _in_own(name, scope, own[0], error, code)
    hint = re.search(rf"['‘]([\w:]+::{re.escape(name)})['’]", " ".join((error.text, *error.notes)))
    if code.side == "device":
        return _of_matmul(name, code)
    places = header_places("host").get(name, ())
    if places:
        return _in_header(name, scope, places[0], error, code)
    inner = re.search(rf"\b{re.escape(name)}::(\w+)", line)
    for place in header_places("host").get(inner[1], ()) if inner else ():
        if place.scope.split("::")[-1] == name:
            return _in_header(inner[1] if inner else name, name, place, error, code)
        full = f"{place.scope}::{inner[1] if inner else ''}"
        return Found("UNDECLARED", f"{name} is neither a namespace nor an enumeration.", f"Write {full}.")
    if hint is not None:
        return Found("UNDECLARED", f"{name} is not declared here; {hint[1]} is.", f"Write {hint[1]}.")
    return None


@cache
def _matmul_names() -> frozenset[str]:
    """Return what the headers of the high-level Matmul declare, which kernel_operator.h does not include."""
    text = "".join(path.read_text() for path in sorted((DEVICE_INCLUDE / "ascendc").glob("matmul*.h")))
    declared = r"\b(?:class|struct|enum class|namespace|#define)\s+(\w+)|\busing\s+(\w+)\s*=|\b(CFG_\w+)\b"
    return frozenset(w for m in re.finditer(declared, text) for w in m.groups() if w) - {"AscendC", "detail"}


def _of_matmul(name: str, code: Code) -> Found | None:
    text = "\n".join(code.files.values())
    if name not in _matmul_names() or re.search(r"#\s*include\s*[<\"][^>\"]*matmul", text):
        return None
    said = f"{name} is not declared here; lib/matmul_intf.h declares it, which is not included."
    return Found("UNDECLARED", said, 'Add #include "lib/matmul_intf.h" after kernel_operator.h.')


def wrong_macro(error: CompilerError, code: Code) -> Found | None:
    """Explain a line that begins with a macro that does not exist, or whose header is not included."""
    called = _MACRO_CALL.match(code.line(error))
    if called is None or code.side == "device":
        return None
    name = called[1]
    if re.search(rf"^\s*#\s*define\s+{name}\b", "\n".join(code.files.values()), re.M):
        return None
    known = header_places("host")
    if name in known:
        place = next((p for p in known[name] if not p.scope), known[name][0])
        return _in_header(name, None, place, error, code)
    best = closest(name, (n for n in known if n.isupper()))
    if best is None:
        return Found("UNDECLARED", f"{name} is no macro.")
    return Found("UNDECLARED", f"{name} is no macro; did you mean {best}?", f"Write {best}(...).")


def nearest_header(path: str, code: Code) -> str | None:
    """Return the header of the toolchain or of the project that a wrong path means; None if none is near."""
    name = PurePosixPath(path).name
    among = {*headers(code.side), *(PurePosixPath(f).name for f in (*code.files, *code.project) if ".h" in f)}
    same = [h for h in among if PurePosixPath(h).name == name]
    if same:
        return closest(path, same, least=0.0)
    best = closest(name, {PurePosixPath(h).name for h in among}, least=0.75)
    return closest(path, (h for h in among if PurePosixPath(h).name == best), least=0.0) if best else None


def _in_own(name: str, scope: str | None, place: Place, error: CompilerError, code: Code) -> Found | None:
    full = f"{place.scope}::{name}" if place.scope else name
    if (
        place.file != error.file
        and place.file not in included(code, error.file)
        and place.file.endswith((".h", ".hpp"))
    ):
        header = PurePosixPath(place.file).name
        text = f"{name} is not declared here; {header} declares it, which is not included."
        return Found("UNDECLARED", text, f'Add #include "{header}".')
    if place.scope and place.scope.split("::")[-1] != scope:
        where = f" in namespace {scope}" if scope else " here"
        text = f"{name} is not declared{where}; it is a name of namespace {place.scope}."
        return Found("UNDECLARED", text, f"Write {full}.")
    return None


def _in_header(name: str, scope: str | None, place: Place, error: CompilerError, code: Code) -> Found | None:
    full = f"{place.scope}::{name}" if place.scope else name
    write = f"{full}" if place.scope and place.scope.split("::")[-1] != scope else ""
    if place.file not in included(code, error.file):
        header = header_for(place)
        text = f"{name} is not declared here; {header} declares it{f' in namespace {place.scope}' if write else ''}."
        return Found("UNDECLARED", text, f'Add #include "{header}"{f" and write {write}" if write else ""}.')
    if write:
        where = f" in namespace {scope}" if scope else " here"
        text = f"{name} is not declared{where}; it is a name of namespace {place.scope}."
        return Found("UNDECLARED", text, f"Write {write}.")
    return None
