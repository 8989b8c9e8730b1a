"""Names that exist, but not where they are looked for: in another namespace, or in a header that is not included."""

import re
from functools import cache
from pathlib import PurePosixPath

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
from akgen.tools.twin.findings.near_names import closest
from akgen.tools.twin.include_folders import DEVICE_INCLUDE

_MACRO_CALL = re.compile(r"^\s*([A-Z][A-Z0-9_]{3,})\s*\(")
_TYPE_FIRST = re.compile(r"\bTILING_DATA_FIELD_DEF\w*\s*\(\s*(\w+)\s*,\s*(\w+)")


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
