"""A first look at a project's text, before it is compiled.

It refuses what no kernel needs and what would be an attack: inline assembly, files from outside the project, code
that runs at load time, calls of the operating system or of finished operators of a library. It is a filter only;
what decides is the sandbox, hidden inputs and a judge in another process. Comments and strings are blanked first, so
that a word in a comment is no finding.
"""

import posixpath
import re
from typing import Literal, NamedTuple

from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject

_INCLUDE = re.compile(
    r'^[ \t]*(?:#|%:)[ \t]*(include|include_next|import|embed)\b[ \t]*[<"]([^>"\n]*)', re.MULTILINE
)


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    code: str
    text: str
    remedy: str
    where: str  # path prefix


_RULES = (
    _Rule(
        re.compile(r"\b(?:asm|__asm|__asm__)\b"),
        "SOURCE_INLINE_ASM",
        "inline assembly",
        "Write the operation with Ascend C instructions.",
        "",
    ),
    _Rule(
        re.compile(
            r"__attribute__\s*\(\(\s*(?:__)?(?:constructor|destructor|ifunc|alias)(?:__)?\b"
            r"|\[\[\s*gnu\s*::\s*(?:__)?constructor"
        ),
        "SOURCE_CONSTRUCTOR",
        "code that runs when the kernel is loaded",
        "Do the work inside the kernel's entry function.",
        "",
    ),
    _Rule(
        re.compile(
            r"\b(?:syscall|execve|execl|execv|posix_spawn|vfork|ptrace|dlopen|dlsym|dlmopen|process_vm_readv|mmap|mprotect)\s*\("
        ),
        "SOURCE_SYSTEM_CALL",
        "a call of the operating system",
        "A kernel computes; leave the system out.",
        "",
    ),
    _Rule(
        re.compile(r"\b(?:aclnn[A-Z]\w*|aclop\w+|EXEC_NPU_CMD|at::\w+|torch::\w+|c10::\w+)"),
        "SOURCE_LIBRARY_CALL",
        "a finished operator of a library",
        "Write the operator itself with Ascend C instructions.",
        "op_kernel/",
    ),
    _Rule(
        re.compile(r"\b(?:EXEC_NPU_CMD\s*\(|at::\w+\s*\(|torch::\w+\s*\()"),
        "SOURCE_LIBRARY_CALL",
        "a finished operator of a library",
        "The host code computes the tiling only.",
        "op_host/",
    ),
)  # fmt: skip

# A word of one of the rules. A text without any need not be looked at more closely.
_SUSPECT = re.compile(
    r"asm|structor|ifunc|alias|syscall|exec|spawn|vfork|ptrace|dl(?:m?open|sym)|process_vm|mmap|mprotect|aclnn|aclop"
    r"|EXEC_NPU|at::|torch::|c10::"
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
    for path, content in sorted(project.files.items()):
        if not path.endswith((".cpp", ".cc", ".h", ".hpp", ".inc")):
            continue
        source = _spliced(content)
        cheats += _forbidden(path, source)
        for outside, finding in _includes(path, source):
            (cheats if outside else errors).append(finding)
    if cheats:
        return Outcome.CHEAT, tuple(cheats + errors)
    return (Outcome.COMPILE_ERROR if errors else None), tuple(errors)


def _project_finding(code: str, text: str) -> Diagnostic:
    return Diagnostic(code=code, text=text, remedy=_REMEDIES[code], stage="compile")


def _forbidden(path: str, source: _Text) -> list[Diagnostic]:
    if not _SUSPECT.search(source.text):
        return []
    bare = blank(source.text)
    found = []
    for rule in _RULES:
        match = rule.pattern.search(bare)
        if match and path.startswith(rule.where):
            token = " ".join(match.group(0).split())[:40]
            found.append(
                Diagnostic(
                    code=rule.code,
                    text=f"The source holds {rule.text}: {token}",
                    file=path,
                    line=source.line(match.start()),
                    remedy=rule.remedy,
                    stage="compile",
                )
            )
    return found


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
