"""Read clang++'s LLVM IR before any pass: its instructions say by themselves which integers are unsigned.

Each has the place of its operand in the source. Constants are folded by then. Attributes that change nothing are not
kept, so that in this run alone `__aicore__` is an annotation (`language.h`), of which the IR has a list.

Pointers that drop the address space show in the text: `__gm__` and `__ubuf__` are parts of a type for the device's
compiler. For every other compiler they are nothing, so that casts and initialisations without them show in the text
alone: of the kernel's arguments, and of what GetPhyAddr returns.
"""

import re
from collections.abc import Iterator, Mapping

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import without_comments
from akgen.tools.twin.findings.compiler_ir import DUMP, CompiledFunction, Computed, Converted, is_refused

# A run of its own: as the front end makes it, halves not widened for the machine at hand.
WRITE_LLVM_IR = (
    "-S", "-emit-llvm", "-w", "-Xclang", "-disable-llvm-passes", "-Xclang", "-ffloat16-excess-precision=none",
    "-DAKGEN_FORM", "-o", DUMP,
)  # fmt: skip
MARK = "; ModuleID"  # what the IR begins with
_INSTRUCTION = re.compile(
    r"^\s+(?P<value>%\S+) = (?:(?:[us]itofp|fpto[us]i|fpext|fptrunc) (?P<source>\w+) \S+ to (?P<to>\w+)"
    r"|(?P<operation>fadd|fsub|fmul|fdiv|fcmp)(?: \w+)*? half ).*!dbg !(?P<place>\d+)"
    r"(?P<kept>(?=\n\s+store \w+ (?P=value),))?",
    re.MULTILINE,
)
# Calls of bfloat16_t's own conversions, of which only constants are none to the device's compiler.
_BRAIN = re.compile(
    r"^\s+(?:%\S+ = )?call [^\n]*@(?:(?P<from>_ZNK10bfloat16_tcvfEv)\([^\n]*"
    r"|_ZN10bfloat16_tC[12]Ef\([^\n]*, float noundef %\S+), !dbg !(?P<place>\d+)",
    re.MULTILINE,
)
_PLACE = re.compile(
    r"^!(?P<number>\d+) = (?:distinct )?!DILocation"
    r"\(line: (?P<line>\d{1,9}), column: (?P<column>\d{1,9}), scope: !(?P<scope>\d+)",
    re.MULTILINE,
)
_SCOPE = re.compile(
    r"^!(?P<number>\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock|LexicalBlockFile)\(.*?file: !(?P<file>\d+)",
    re.MULTILINE,
)
_FILE = re.compile(r'^!(?P<number>\d+) = (?:distinct )?!DIFile\(filename: "(?P<name>[^"]*)"', re.MULTILINE)
_DEFINED = re.compile(
    r"^define [^\n]*?@(?P<symbol>[\w.$]+)\([^\n]*!dbg !(?P<about>\d+) \{\n(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_ABOUT = re.compile(
    r'^!(?P<number>\d+) = distinct !DISubprogram\(name: "(?P<name>[^"]*)"'
    r".*?file: !(?P<file>\d+), line: (?P<line>\d{1,9})",
    re.MULTILINE,
)
_CALL = re.compile(r"\b(?:call|invoke) [^\n]*?@([\w.$]+)\(")
_ANNOTATIONS = re.compile(r"^@llvm\.global\.annotations = .*", re.MULTILINE)
_LAMBDA = re.compile(r"Ul\w*E\d*_")  # in a mangled name
_SIGNS = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/", "fcmp": "a comparison"}
_CAST = (
    r"(?:\(\s*(?P<c>(?:const\s+)?[A-Za-z_][\w:]*(?:<[\w:, ]*>)?)\s*\*\s*\)"
    r"|reinterpret_cast\s*<\s*(?P<r>(?:const\s+)?[A-Za-z_][\w:]*(?:<[\w:, ]*>)?)\s*\*\s*>\s*\()\s*"
)
_BUFFER_CAST = re.compile(r"\bSetGlobalBuffer\s*\(\s*" + _CAST)
_OPERAND_CAST = re.compile(_CAST + r"\(?\s*(?P<name>[A-Za-z_]\w*)\b(?!\s*(?:\(|->|\.|\[|::))")
_GLOBAL_NAME = re.compile(
    r"(?:\bGM_ADDR\s{1,9}|__gm__[\w\s:]{1,99}\*\s{0,9}(?:const\s{1,9})?)(?P<name>[A-Za-z_]\w*)\s{0,9}[,;)=]"
)
_DECLARED = re.compile(
    r"\b(?!return\b|new\b)[A-Za-z_]\w*(?:<[^;{}]{0,99}>)?[\s*&]{1,9}\b(?P<name>[A-Za-z_]\w*)\s{0,9}[;=,)\[{]"
)


def steps(text: str) -> Iterator[Converted | Computed]:
    """Yield every such step, also of headers."""
    found, brain = list(_INSTRUCTION.finditer(text)), list(_BRAIN.finditer(text))
    if not found and not brain:
        return
    places = {m["number"]: m for m in _PLACE.finditer(text)}
    scopes = {m["number"]: m["file"] for m in _SCOPE.finditer(text)}
    files = {m["number"]: m["name"] for m in _FILE.finditer(text)}
    for match in (*found, *brain):
        place = places.get(match["place"])
        file = files.get(scopes.get(place["scope"], "")) if place else None
        if place is None or file is None:
            continue
        line = int(place["line"])
        if match.re is _BRAIN:
            kinds = ("bfloat16_t", "float") if match["from"] else ("float", "bfloat16_t")
            yield Converted(file, line, *kinds, kept=True)
            continue
        if match["operation"]:
            yield Computed(file, line, _SIGNS[match["operation"]])
        elif "i1" not in (match["source"], match["to"]):  # i1 is bool
            column = int(place["column"])
            kept = match["kept"] is not None
            source, to = _name(match["source"]), _name(match["to"])
            signed = "sitofp" in match[0] or "fptosi" in match[0]
            if "double" in (source, to) or (not signed and is_refused(source, to)):
                yield Converted(file, line, source, to, column=column, kept=kept)


def functions(text: str) -> Iterator[CompiledFunction]:
    """Yield every function, also of headers."""
    listed = _ANNOTATIONS.search(text)
    marked = set(re.findall(r"ptr @([\w.$]+), ptr", listed[0])) if listed else set()
    about = {m["number"]: m for m in _ABOUT.finditer(text)}
    files = {m["number"]: m["name"] for m in _FILE.finditer(text)}
    for match in _DEFINED.finditer(text):
        known = about.get(match["about"])
        file = files.get(known["file"]) if known else None
        if known is None or file is None:
            continue
        symbol = match["symbol"]
        name = "<lambda>" if _LAMBDA.search(symbol) else known["name"]
        calls = "".join(f" {called} (" for called in _CALL.findall(match["body"]))
        calls += "@_ZTV" if "@_ZTV" in match["body"] else ""  # its class has virtual functions
        yield CompiledFunction(symbol, name, file, int(known["line"]), calls, symbol in marked)


def spans_of_the_device(text: str) -> tuple[tuple[str, range], ...]:
    """Return file and lines of each function that is marked, and of lambdas."""
    listed = _ANNOTATIONS.search(text)
    marked = set(re.findall(r"ptr @([\w.$]+), ptr", listed[0])) if listed else set()
    about = {m["number"]: m for m in _ABOUT.finditer(text)}
    files = {m["number"]: m["name"] for m in _FILE.finditer(text)}
    places = {m["number"]: int(m["line"]) for m in _PLACE.finditer(text)}
    spans = []
    for match in _DEFINED.finditer(text):
        known = about.get(match["about"])
        if known is not None and (match["symbol"] in marked or _LAMBDA.search(match["symbol"])):
            lines = [places[n] for n in re.findall(r"!dbg !(\d+)", match["body"]) if n in places]
            begin = int(known["line"])
            spans.append((files.get(known["file"], ""), range(begin, max([begin, *lines]) + 1)))
    return tuple(spans)


def _name(kind: str) -> str:
    """Name a type as kernels do: `i32` is uint32_t here, for only conversions of unsigned ones are read."""
    return f"uint{kind[1:]}_t" if kind[0] == "i" else kind


def without_address_spaces(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each line where a pointer to memory of the device loses its address space."""
    found = (*_without_local_space(files), *_without_global_space(files))
    return tuple({(d.file, d.line): d for d in found}.values())


def _without_global_space(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each cast of an address of global memory to a pointer that does not say `__gm__`.

    Such addresses are what SetGlobalBuffer takes and what a file declares as GM_ADDR or `__gm__ T *`, under names that
    it declares as nothing else.
    """
    found: list[Diagnostic] = []
    for file, text in sorted(files.items()):
        plain = without_comments(text)
        names = _global_names(plain)
        for match in (*_BUFFER_CAST.finditer(plain), *_OPERAND_CAST.finditer(plain)):
            kind = (match["c"] or match["r"]).strip()
            given = match.groupdict().get("name")
            if (given is not None and given not in names) or _names_a_space(kind, plain):
                continue
            takes = (
                "SetGlobalBuffer takes a __gm__ pointer" if given is None else f"{given} is a __gm__ pointer"
            )
            found.append(
                Diagnostic(
                    code="ADDRESS_SPACE",
                    text=f"{takes}; {kind} * points to no memory of the device.",
                    file=file,
                    line=plain.count("\n", 0, match.start()) + 1,
                    remedy=f"Write (__gm__ {kind} *).",
                    stage="compile",
                )
            )
    return tuple({(d.file, d.line): d for d in reversed(found)}.values())[::-1]


_PHYSICAL = r"\(?\s*(?P<tensor>[A-Za-z_][\w.]*(?:\[[^\[\]]*\])?)\s*\.\s*GetPhyAddr\s*\("
_PHYSICAL_CAST = re.compile(_CAST + _PHYSICAL)
_PHYSICAL_KEPT = re.compile(
    r"[;{}(]\s*(?P<kept>(?!auto\b)(?:const\s+)?[A-Za-z_][\w:]*)\s*\*\s*(?:const\s+)?\w+\s*[=({]\s*"
    + _PHYSICAL
)


def _without_local_space(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each pointer without an address space that is made of what GetPhyAddr returns."""
    found: dict[tuple[str, int], Diagnostic] = {}
    for file, text in sorted(files.items()):
        plain = without_comments(text)
        for match in (*_PHYSICAL_CAST.finditer(plain), *_PHYSICAL_KEPT.finditer(plain)):
            groups = match.groupdict()
            kind = (groups.get("kept") or groups.get("c") or groups.get("r") or "").strip()
            if _names_a_space(kind, plain):
                continue
            line = plain.count("\n", 0, match.start("tensor")) + 1
            global_memory = re.search(rf"\bGlobalTensor\s*<[^;{{}}]*\b{match['tensor']}\b", plain) is not None
            space = "__gm__" if global_memory else "__ubuf__"
            found[file, line] = Diagnostic(
                code="ADDRESS_SPACE",
                text=f"{match['tensor']}.GetPhyAddr() is a {space} pointer; "
                f"{kind} * points to no memory of the device.",
                file=file,
                line=line,
                remedy=f"Write {space} {kind} * for the cast and the variable.",
                stage="compile",
            )
    return tuple(d for _, d in sorted(found.items()))


def _names_a_space(kind: str, plain: str) -> bool:
    """Say whether a type is an alias that a text declares with an address space."""
    name = re.escape(kind.split()[-1])
    return re.search(rf"\b{name}\s*=\s*__\w+__|\btypedef\s+__\w+__[^;]*\b{name}\s*;", plain) is not None


def _global_names(plain: str) -> frozenset[str]:
    """Return the names that a text declares as addresses of global memory, and as nothing else."""
    names = {match["name"] for match in _GLOBAL_NAME.finditer(plain)}
    others = {match["name"] for match in _DECLARED.finditer(_GLOBAL_NAME.sub(";", plain))}
    return frozenset(names - others)
