"""Names that do not exist: interfaces, members, enumerators, variables, headers, symbols; and what was meant."""

import re

from akgen.knowledge.cards import cards
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import without_comments
from akgen.tools.twin.findings.code import Code, Found
from akgen.tools.twin.findings.compiler_text import CompilerError
from akgen.tools.twin.findings.header_names import enumerators, interfaces
from akgen.tools.twin.findings.known_names import names_in, names_of_scope
from akgen.tools.twin.findings.names_elsewhere import (
    AFTER_CPP11,
    EARLIER_CHIPS,
    HOST_NAMES,
    LATER_CHIPS,
    NOT_SIMULATED,
)
from akgen.tools.twin.findings.near_names import closest, misplaced, nearest_header, wrong_macro


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
    if code.side == "host" and re.search(rf"\bstd\s*::\s*{re.escape(name)}\b", code.line(error)):
        later = _after_cpp11(name)
        if later is not None:
            return later
    meant_enumerator = _enumerator_of(name, scope, error, code)
    if meant_enumerator is not None:
        return meant_enumerator
    if scope in enumerators(code.side):
        return enumerator(name, str(scope), code.side)
    if not code.declares(name) and (found := _elsewhere(name)):
        return found
    placed = misplaced(name, scope, error, code)
    if placed is not None:
        return placed
    if name.startswith("TilingData") or name.endswith("TilingData"):
        return Found(
            "TILING_STRUCT",
            f"{name} is no tiling struct that op_host registers.",
            "Use the struct's name as BEGIN_TILING_DATA_DEF gives it, and register it.",
        )
    if code.side == "device" and len(name) >= _SHORTEST and name in interfaces("device") and scope is None:
        return Found(
            "UNDECLARED",
            f"{name} is a name of namespace AscendC, which is not opened here.",
            'Write `using namespace AscendC;` after #include "kernel_operator.h".',
        )
    if scope is not None and (among := names_of_scope(scope, code.side)):
        return _of_scope(name, scope, among)
    if name[:1].isupper() and not name.isupper():
        if (best := closest(name, _own_names(code), least=0.75)) is not None:
            return _unknown("UNKNOWN_API", f"{name}: no such API", best)
        among = interfaces(code.side) | (code.words() if code.side == "host" else set())
        return _unknown("UNKNOWN_API", f"{name}: no such API", closest(name, among))
    return _variable(name, error, code)


def _after_cpp11(name: str) -> Found | None:
    """Explain a name that the standard library has since C++14 or later; host code is C++11."""
    instead = AFTER_CPP11.get(name)
    ending = re.fullmatch(r"(\w+)_([vt])", name)
    if instead is None and ending:
        instead = (
            f"std::{ending[1]}<...>::value" if ending[2] == "v" else f"typename std::{ending[1]}<...>::type"
        )
    if instead is None:
        return None
    text = f"std::{name} is younger than C++11, as which the build of an operator project compiles host code."
    return Found("UNDECLARED", text, f"Use {instead}.")


def _enumerator_of(name: str, scope: str | None, error: CompilerError, code: Code) -> Found | None:
    """Explain an enumerator without its enumeration, or one after a name that is no enumeration."""
    known = enumerators(code.side)
    if code.side == "host" or name in known or scope in known:
        return None
    inner = re.search(rf"\b{re.escape(name)}::(\w+)", code.line(error))
    wanted = inner[1] if inner else name
    owners = [e for e in known if wanted in known[e] and "RESERVED" not in wanted]
    best = closest(name, owners, least=0.0) if inner else next(iter(owners), None)
    if best is None or wanted.islower():
        return None
    if inner:
        return Found("UNKNOWN_API", f"{name}: no such API; did you mean {best}?", f"Write {best}::{wanted}.")
    return Found(
        "UNDECLARED", f"{name} is not declared here; it is a value of {best}.", f"Write {best}::{name}."
    )


def _tiling_data(name: str, error: CompilerError, code: Code) -> Found | None:
    """Explain the tiling data under a name that GET_TILING_DATA does not give it, or that is never read."""
    used = re.search(rf"(?<![\w.]){re.escape(name)}\s*\.\s*(\w+)", code.line(error))
    fields = re.findall(r"\b(\w+)(?:\[[^\]]*\])*\s*(?:=[^;]*)?;", code.given)
    if code.side == "host" or used is None or used[1] not in fields:
        return None
    given = re.findall(r"\bGET_TILING_DATA\w*\(\s*(\w+)", without_comments("\n".join(code.files.values())))
    if given:
        text = f"{name} is not declared here; GET_TILING_DATA calls the tiling data {given[0]}."
        return Found("UNDECLARED", text, f"Write {given[0]}.{used[1]}, or GET_TILING_DATA({name}, tiling).")
    text = f"{name} is not declared here; the tiling data is never read."
    return Found("UNDECLARED", text, f"Write GET_TILING_DATA({name}, tiling); first.")


def _of_scope(name: str, scope: str, among: frozenset[str]) -> Found:
    """Explain a name that its namespace does not have."""
    best = closest(name, among)
    code = "UNKNOWN_API" if name[:1].isupper() and not name.isupper() else "UNDECLARED"
    remedy = f"Write {signature(best) or f'{scope}::{best}'}." if best else None
    if code == "UNKNOWN_API":
        return Found(code, f"{name}: no such API in namespace {scope}{meant(best)}", remedy)
    return Found(code, f"{name} is not declared in namespace {scope}{meant(best)}", remedy)


_DEFINED = re.compile(r"[\w>&*]\s+(\w+)\s*\([^;{}()]*\)\s*(?:const\s*)?\{")  # functions, of classes too
_SHORTEST = 3  # letters of a name that tells something


def _own_names(code: Code) -> set[str]:
    """Return what the unit itself declares, in classes and outside of functions."""
    text = without_comments("\n".join(code.files.values()))
    return {n for n, _ in names_in(text) if not n.isupper()} | set(_DEFINED.findall(text))


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
    """Explain a header that does not exist, and name the one that is nearest to it."""
    del error
    near = nearest_header(match[1], code)
    remedy = f'Write #include "{near}".' if near else "Include headers of CANN or of the project only."
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
    line = code.line(error)
    if re.search(rf"\b(?:Input|Output|Attr)\(\s*{re.escape(name)}\s*\)", line):
        return Found(
            "UNDECLARED", f"{name} is not declared here; an OpDef names it by a string.", f'Write "{name}".'
        )
    tiling = _tiling_data(name, error, code)
    if tiling is not None:
        return tiling
    hint = re.search(r"did you mean ['‘]([^'’]+)['’]", error.text)
    hinted = {hint[1]} if hint and hint[1] in code.words() else set()
    words = code.model_copy(update={"given": ""}).words() | hinted
    words -= set(re.findall(r"\bnamespace\s+(\w+)", "\n".join(code.files.values())))
    alike = {w for w in words if (w[:1].islower(), w.isupper()) == (name[:1].islower(), name.isupper())}
    best = closest(name, alike, least=0.75) or (
        closest(name, words, least=0.85) if name[:1].isupper() else None
    )
    given = re.findall(r"^#define (DTYPE_\w+)", code.given, re.M) if name.startswith("DTYPE_") else []
    if given:
        text = f"{name} is not defined; the operator's types are {', '.join(given)}."
        return Found("UNDECLARED", text, "Use the macro of the input or output that op_host names.")
    if best is None and len(name) < _SHORTEST and name.isupper():
        remedy = f"Write template <typename {name}> before the class or function that uses it."
        return Found("UNDECLARED", f"{name} is no type here.", remedy)
    if best is None:
        return Found("UNDECLARED", f"{name} is not declared here.", f"Declare {name} before this line.")
    return Found(
        "UNDECLARED", f"{name} is not declared here{meant(best)}", f"Write {best}, or declare {name}."
    )


def _unknown(code: str, sentence: str, best: str | None) -> Found:
    if best is None:
        return Found(code, sentence + ".")
    return Found(code, sentence + meant(best), f"Write {signature(best) or best}.")


def meant(best: str | None) -> str:
    return f"; did you mean {best}?" if best else "."


def no_base(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a base class that does not exist, which the compiler leaves to the line."""
    del match
    named = re.search(
        r"\b(?:class|struct)\s+\w+[^:]*:\s*(?:public\s+|private\s+)?(?:\w+::)*(\w+)", code.line(error)
    )
    return undeclared(named, error, code) if named else Found("SYNTAX", error.text.rstrip(".") + ".")


def no_macro(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a statement that is none: a macro or a class that nothing declares."""
    del match
    found = wrong_macro(error, code)
    named = re.search(r"before ['‘](\w+)['’]", error.text)
    if found is None and named is not None and named[1][:1].isupper() and not code.declares(named[1]):
        best = closest(named[1], _own_names(code)) or closest(named[1], interfaces(code.side))
        found = _unknown("UNDECLARED", f"{named[1]} is not declared here", best)
    return found or Found("SYNTAX", error.text.rstrip(".") + ".")


def private_base(match: re.Match[str], error: CompilerError, code: Code) -> Found:
    """Explain a class whose base nobody may see."""
    del error, code
    base, derived = match[1].split("::")[-1], match[2].split("::")[-1]
    text = f"{derived} inherits {base} privately, so nobody can use it as one."
    return Found("TYPE_MISMATCH", text, f"Write class {derived} : public {base}.")


_BEGUN = re.compile(
    r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)\s*\)(?:(?!\bEND_TILING_DATA_DEF\b).)*?(?=\bBEGIN_TILING_DATA_DEF\b|\Z)",
    re.S,
)


def unended_struct(code: Code) -> Diagnostic | None:
    """Return a finding about a tiling struct that is begun and never ended: everything after it is misread."""
    for file, text in code.files.items() if code.side == "host" else ():
        begun = _BEGUN.search(without_comments(text))
        if begun is not None and f"BEGIN_TILING_DATA_DEF({begun[1]})" in text:
            return Diagnostic(
                code="TILING_STRUCT",
                text=f"BEGIN_TILING_DATA_DEF({begun[1]}) has no END_TILING_DATA_DEF.",
                file=file,
                line=text.count("\n", 0, text.index(f"BEGIN_TILING_DATA_DEF({begun[1]})")) + 1,
                remedy="Write END_TILING_DATA_DEF; after its last field.",
                stage="compile",
            )
    return None
