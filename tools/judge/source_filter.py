"""A first look at a project's text, before it is compiled.

It refuses what no kernel needs and what would be an attack: inline assembly, files from outside the project, code
that runs at load time, calls of the operating system or of finished operators of a library. It is a filter only;
what decides is the sandbox, hidden inputs and a judge in another process. Comments and strings are blanked first, so
that a word in a comment is no finding.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.judge import names_used

_INCLUDE = re.compile(
    r'^[ \t]*(?:#|%:)[ \t]*(include|include_next|import|embed)\b[ \t]*[<"]([^>"\n]*)', re.MULTILINE
)

_INCLUDED = re.compile(
    r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import|embed)\b[ \t]*([^\n]*)", re.MULTILINE
)
_QUOTED = re.compile(r'[<"]([^">\n]*)')
_CODE = (".cpp", ".cc", ".h", ".hpp", ".inc")
_DIRECT = ".asc"  # whose host part may do what a kernel may not
# Not looked at, unless a file includes them.
_NO_CODE = (".txt", ".json", ".md", ".cmake", ".py", ".sh", ".yaml", ".yml", ".csv", ".ini", ".cfg")


class _Rule(NamedTuple):
    """What is accused: any match of `pattern`; with `names`, a use of such a name that the project does not declare."""

    pattern: re.Pattern[str]
    code: str
    text: str
    remedy: str
    where: str = ""  # path prefix
    names: bool = False
    with_call: bool = False  # the parenthesis is shown too
    literals: bool = False  # the text of literals counts


_LOADED = r"(?:__)?(?:constructor|destructor|ifunc|alias)(?:__)?(?!\w)"
_SYSTEM = (
    "syscall|execve|execv|execvp|execvpe|execl|execlp|execle|fexecve|posix_spawnp?|vfork|ptrace|dlopen|dlmopen|dlsym"
    "|dlvsym|process_vm_readv|process_vm_writev|mmap|mmap64|mprotect"
)
_NO_SYSTEM = "A kernel computes; leave the system out."
_OWN_KERNEL = "Write the operator itself with Ascend C instructions."
_TILING_ONLY = "The host code computes the tiling only."
_OPERATOR = "a finished operator of a library"
# Functions of PyTorch begin with a small letter; its types and constants do not, but for these.
_TORCH = (
    r"(?:at|torch|c10)(?:\s*::\s*\w+)*\s*::\s*(?!optional\b|complex\b|string_view\b|nullopt\b|native\s*::|k[A-Z])"
    r"[a-z_]\w*(?!\w|\s*::)"
)
_TORCH_ALIAS = (
    r"\bnamespace\s+\w+\s*=\s*(?:::\s*)?(?:at|torch)\b|\busing\s+namespace\s+(?:::\s*)?(?:at|torch)\b"
)
_TORCH_MODULE = r"\btorch\s*::\s*nn\s*::\s*[A-Z]\w*\s*[({]|\bc10\s*::\s*Dispatcher\b"

_SIMULATOR = r"\bakgen\s*::\s*twin\b|\bnamespace\s+akgen\b|\b_ZN[VKRO]*5akgen"

_RULES = (
    _Rule(
        re.compile(_SIMULATOR),
        "SOURCE_SIMULATOR",
        "an internal name of the simulator",
        "Use the vendor's interfaces.",
    ),
    _Rule(
        re.compile(r"\bredefine_extname\b"),
        "SOURCE_SIMULATOR",
        "a name for a symbol of the binary",
        "Call functions by their own names.",
        literals=True,
    ),
    _Rule(
        re.compile(
            r"\b(?:asm|__asm|__asm__)\b(?=\s*(?:\(|\{|(?:(?:__)?volatile(?:__)?|goto|inline)\b|$))", re.MULTILINE
        ),
        "SOURCE_INLINE_ASM",
        "inline assembly",
        "Write the operation with Ascend C instructions.",
    ),
    _Rule(
        re.compile(
            rf"__attribute__\s*\(\((?:[^()]|\([^()]*\))*?(?<!\w){_LOADED}"
            rf"|\[\[(?:[^\[\]]{{0,300}}?\W)?(?:gnu\s*::|using\s+gnu\s*:)(?:[^\[\]]{{0,300}}?\W)?{_LOADED}"
        ),
        "SOURCE_CONSTRUCTOR",
        "code that runs when the kernel is loaded",
        "Do the work inside the kernel's entry function.",
    ),
    _Rule(
        re.compile(r"section(?:__)?\s*\(\s*\"\.(?:preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b"),
        "SOURCE_CONSTRUCTOR",
        "code that runs when the kernel is loaded",
        "Do the work inside the kernel's entry function.",
        literals=True,
    ),
    _Rule(
        re.compile(rf"\b(?:{_SYSTEM})\b"),
        "SOURCE_SYSTEM_CALL",
        "a call of the operating system",
        _NO_SYSTEM,
        names=True,
        with_call=True,
    ),
    _Rule(
        re.compile(r"\b(?:aclnn[A-Z]\w*|aclop[A-Z]\w*|EXEC_NPU_CMD)\b"),
        "SOURCE_LIBRARY_CALL", _OPERATOR, _OWN_KERNEL, "op_kernel/", names=True,
    ),
    _Rule(
        re.compile(r"\bEXEC_NPU_CMD\b"),
        "SOURCE_LIBRARY_CALL", _OPERATOR, _TILING_ONLY, "op_host/", names=True, with_call=True,
    ),
    _Rule(
        re.compile(rf"(?<![\w:])(?:::\s*)?{_TORCH}|{_TORCH_ALIAS}|{_TORCH_MODULE}"),
        "SOURCE_LIBRARY_CALL", _OPERATOR, _OWN_KERNEL, "op_kernel/",
    ),
    _Rule(
        re.compile(rf"(?<![\w:])(?:::\s*)?{_TORCH}\s*\(|{_TORCH_ALIAS}|{_TORCH_MODULE}"),
        "SOURCE_LIBRARY_CALL", _OPERATOR, _TILING_ONLY, "op_host/",
    ),
)  # fmt: skip

# A word of one of the rules. A text without any need not be looked at more closely.
_SUSPECT = re.compile(
    r"akgen|asm|structor|ifunc|alias|section|syscall|exec|spawn|vfork|ptrace|dl(?:m?open|v?sym)|process_vm|mmap|mprotect"
    r"|redefine_extname|aclnn|aclop|EXEC_NPU|\b(?:at|torch|c10)\b|##|%:%:"
)
_HOST_HEADERS = r"(?:torch|ATen|c10|pybind11|aclnn|dlfcn\.h|unistd\.h|sys/|fcntl\.h|signal\.h|pthread\.h)"
_FOREIGN = re.compile("^" + _HOST_HEADERS)
_SUSPECT_PATH = re.compile(r'["<]\s*/|\.\.|["<]' + _HOST_HEADERS)
# Relative, and of ordinary characters: the path is written to disk and passed to a compiler.
_SAFE_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_.][A-Za-z0-9_.+-]*)*")
MOST_CHARACTERS = 8_000_000
_REMEDIES = {
    "SOURCE_PATH": "Use relative paths below op_host and op_kernel, of letters, digits, underscores and dots.",
    "SOURCE_SIZE": "Keep to the operator's own sources.",
}
_KEEP_INSIDE = "Include the vendor's headers and files of the project only."


_START = re.compile(r'//|/\*|(?<![A-Za-z0-9_])(?:u8|[uUL])?R"|"|\'')
_RAW_DELIMITER = re.compile(r'([^()\\\s"]{0,16})\(')
_BODY = {q: re.compile(rf"[^{q}\\\n]*(?:\\.[^{q}\\\n]*)*") for q in "'\""}
_WORD_END = re.compile(r"[A-Za-z0-9_]+\Z")
_PREFIXES = frozenset({"u8", "u", "U", "L"})


class _Text(NamedTuple):
    """A source with its line splices taken out; `splices` are the offsets where one was."""

    text: str
    splices: tuple[int, ...]

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + sum(1 for s in self.splices if s <= offset) + 1


def look(project: KernelProject) -> tuple[Outcome | None, tuple[Diagnostic, ...]]:
    """Return CHEAT, COMPILE_ERROR or None, with the findings that led to it."""
    cheats: list[Diagnostic] = []
    errors: list[Diagnostic] = []
    if sum(len(text) for text in project.files.values()) > MOST_CHARACTERS:
        text = f"The project holds more than {MOST_CHARACTERS} characters."
        return Outcome.COMPILE_ERROR, (_project_finding("SOURCE_SIZE", text),)
    for path in sorted(project.files):
        if not _SAFE_PATH.fullmatch(path) or ".." in path.split("/"):
            cheats.append(_project_finding("SOURCE_PATH", f"A file of the project is called {path[:100]!r}."))
    if cheats:
        return Outcome.CHEAT, tuple(cheats)
    sources = _sources(project)
    suspect = any(_SUSPECT.search(source.text) for _, source in sources)
    plain = names_used.plain_macros(blank(s.text, strings=False) for _, s in sources) if suspect else {}
    for path, source in sources:
        cheats += _forbidden(path, source, plain) if suspect else []
        for outside, finding in [] if path.endswith(_DIRECT) else _includes(path, source):
            (cheats if outside else errors).append(finding)
    cheats, errors = list(dict.fromkeys(cheats)), list(dict.fromkeys(errors))
    if cheats:
        return Outcome.CHEAT, tuple(cheats + errors)
    return (Outcome.COMPILE_ERROR if errors else None), tuple(errors)


def _sources(project: KernelProject) -> list[tuple[str, _Text]]:
    """Return what is compiled: C++ files, a file for the direct form, and whatever else an include may name.

    A file with trigraphs comes twice: C++11, which host code is in, reads them, and later standards do not.
    """
    spliced = [(path, _spliced(text)) for path, text in sorted(project.files.items())]
    written = [
        (path, _spliced(_without_trigraphs(t))) for path, t in sorted(project.files.items()) if "??" in t
    ]
    others = {path for path in project.files if not path.endswith(_CODE)}
    if others:
        named: set[str] = set()
        for _, source in (*spliced, *written):
            for given in _INCLUDED.findall(blank(source.text, strings=False)):
                quoted = _QUOTED.match(given)
                # A name that a macro makes may be any file's.
                named |= (
                    {posixpath.basename(quoted[1])} if quoted else {posixpath.basename(p) for p in others}
                )
        others -= {p for p in others if p.endswith(_NO_CODE) and posixpath.basename(p) not in named}
    return [(path, source) for path, source in (*spliced, *written) if path.endswith(_CODE) or path in others]


def _without_trigraphs(text: str) -> str:
    for written, meant in (
        ("??=", "#"),
        ("??/", "\\"),
        ("??(", "["),
        ("??)", "]"),
        ("??<", "{"),
        ("??>", "}"),
    ):
        text = text.replace(written, meant)
    return text


def _project_finding(code: str, text: str) -> Diagnostic:
    return Diagnostic(code=code, text=text, remedy=_REMEDIES[code], stage="compile")


def _forbidden(path: str, source: _Text, plain: names_used.Macros) -> list[Diagnostic]:
    bare, with_literals = blank(source.text), blank(source.text, strings=False)
    pasted = list(names_used.pasted(bare))
    behind = {
        literals: list(names_used.expanded(t, plain))
        for literals, t in ((False, bare), (True, with_literals))
    }
    found = []
    for rule in _RULES:
        if not path.startswith(rule.where) or (path.endswith(_DIRECT) and (rule.where or rule.names)):
            continue
        own = with_literals if rule.literals else bare
        first = next(
            (
                (source.line(at or start), token)
                for at, text in ((0, own), *([] if rule.literals else pasted))
                for start, token in _accused(rule, text)
            ),
            None,
        ) or next(
            (
                (source.line(_line_start(own, text.count("\n", 0, start))), token)
                for text in behind[rule.literals]
                for start, token in _accused(rule, text)
            ),
            None,
        )
        if first is not None:
            line, token = first
            found.append(
                Diagnostic(
                    code=rule.code,
                    text=f"The source holds {rule.text}: {token}",
                    file=path,
                    line=line,
                    remedy=rule.remedy,
                    stage="compile",
                )
            )
    return found


def _line_start(text: str, number: int) -> int:
    """Return the offset of a line's first character, by its number from zero."""
    at = 0
    for _ in range(number):
        at = text.index("\n", at) + 1
    return at


def _accused(rule: _Rule, text: str) -> Iterator[tuple[int, str]]:
    """Find what breaks a rule: where, and how it is written."""
    if rule.names:
        for use in names_used.uses(text, rule.pattern):
            yield use.start, _shown(text[use.start : use.called_end if rule.with_call else use.end])
        return
    for match in rule.pattern.finditer(text):
        if not _is_own(match.group(0), text):
            yield match.start(), _shown(match.group(0))


def _is_own(token: str, text: str) -> bool:
    """Say whether the text opens the namespace itself that a name is of."""
    named = re.match(r"[\s:]*(at|torch|c10)\s*::", token)
    return named is not None and re.search(rf"\bnamespace\s+{named.group(1)}\s*\{{", text) is not None


def _shown(token: str) -> str:
    return " ".join(token.split())[:40]


def _includes(path: str, source: _Text) -> list[tuple[bool, Diagnostic]]:
    """Find includes of files outside the project (true) and of libraries that device code cannot use (false)."""
    if not _SUSPECT_PATH.search(source.text):
        return []
    bare = blank(source.text, strings=False)
    found = []
    for match in _INCLUDE.finditer(bare):
        name = match.group(2)
        kind = _foreign(path, name)
        outside = kind == "outside"
        why = "lies outside the project" if outside else "is not for device code"
        finding = Diagnostic(
            code="SOURCE_FOREIGN_INCLUDE",
            text=f"The included file {name} {why}.",
            file=path,
            line=source.line(match.start(2)),
            remedy=_KEEP_INSIDE,
            stage="compile",
        )
        found += [(outside, finding)] if kind else []
    return found


def _foreign(path: str, name: str) -> Literal["outside", "host"] | None:
    if name.startswith("/") or _escapes(path, name):
        return "outside"
    return "host" if path.startswith("op_kernel/") and _FOREIGN.match(name) else None


def _escapes(path: str, name: str) -> bool:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name)).startswith("..")


def _spliced(content: str) -> _Text:
    """Join lines that end in a backslash, as the compiler does before it looks at anything."""
    pieces = re.split(r"\\\r?\n", content)
    splices, offset = [], 0
    for piece in pieces[:-1]:
        offset += len(piece)
        splices.append(offset)
    return _Text("".join(pieces), tuple(splices))


def blank(text: str, *, strings: bool = True) -> str:
    """Replace comments by spaces, and with `strings` also literals; line ends stay."""
    pieces: list[str] = []
    at = 0
    while (start := _START.search(text, at)) is not None:
        begin, token = start.start(), start.group()
        pieces.append(text[at:begin])
        if token == "'" and _is_digit_separator(text, begin):
            pieces.append("'")
            at = begin + 1
            continue
        at = _end(text, start.end(), token)
        keep = not strings and token not in ("//", "/*")
        pieces.append(text[begin:at] if keep else _spaces(text[begin:at]))
    pieces.append(text[at:])
    return "".join(pieces)


def _end(text: str, at: int, token: str) -> int:
    """Return the offset behind a comment or literal whose opening token ends at `at`."""
    if token == "//":
        return _or_end(text, text.find("\n", at), 0)
    if token == "/*":
        return _or_end(text, text.find("*/", at), 2)
    if token.endswith('R"'):
        delimiter = _RAW_DELIMITER.match(text, at)
        if delimiter is None:
            return _quoted(text, at, '"')
        close = f'){delimiter.group(1)}"'
        return _or_end(text, text.find(close, delimiter.end()), len(close))
    return _quoted(text, at, token)


def _quoted(text: str, at: int, quote: str) -> int:
    """Return the offset behind the closing quote, or of the line's end where there is none."""
    body = _BODY[quote].match(text, at)
    assert body is not None  # the pattern matches nothing too
    end = body.end()
    return end + 1 if text[end : end + 1] == quote else end


def _or_end(text: str, found: int, width: int) -> int:
    return len(text) if found < 0 else found + width


def _is_digit_separator(text: str, at: int) -> bool:
    before = _WORD_END.search(text, max(0, at - 32), at)
    return before is not None and before.group() not in _PREFIXES


def _spaces(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
