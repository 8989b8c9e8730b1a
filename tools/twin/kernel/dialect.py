"""Rewrite what the vendor's compiler takes and other compilers refuse, line by line: attributes, specialisations."""

import re
from functools import lru_cache
from pathlib import Path

# `[aicore]` is what __aicore__ stands for; sources that were preprocessed or generated carry it literally.
_ATTRIBUTE = re.compile(r"(?<![\w\])])\s?\[\s*(?:host\s*,\s*)?(?:aicore|host)\s*\]")
# Behind a parameter list an attribute may stand in a declaration only.
_BEHIND = re.compile(r"(\)\s*(?:const|noexcept)?)(\s*(?:__aicore__|\[\s*aicore\s*\]))(?=\s*\{)")
_WORDS = r"(?P<words>(?:\s|\w)*?\bvoid\s+(?:operator\s*\(\)|\w+)\s*)"
_SPECIAL = re.compile(
    r"template\s*<\s*>" + _WORDS + r"<\s*(?P<core>(?:AscendC\s*::\s*)?AI[CV])\s*>\s*\((?P<args>[^()]*)\)"
)
_PRIMARY = re.compile(
    r"template\s*<\s*(?P<param>\w+\s+\w+)\s*=\s*g_coreType\s*>" + _WORDS + r"\((?P<args>[^()]*)\)"
)

_NESTED = re.compile(
    r"template\s*<\s*>(?P<key>\s*(?:struct|class)\s+)(?P<name>\w+)\s*<(?P<args>[^<>{};]*)>(?=\s*\{)"
)
# Comments and literals: raw strings too, and no quotes between digits.
OPAQUE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\bR\"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)\""
    r"|\"(?:\\.|[^\"\\\n])*\"|(?<!\d)'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
_UNSET = re.compile(
    r"member [‘'][^’'\n]{0,1000}?\b(\w{1,200})[’'] must be initialized by mem-initializer in (?:a )?[‘']constexpr[’']"
    r" constructor\n(?:[^\n]*\n){0,4}?([^\n:]{1,1000}):(\d{1,9}):\d+: note: declared here"
)


_ARRAY = re.compile(
    r"\b__(?P<memory>ubuf|cbuf|ca|cb|cc|biasbuf|fbuf)__(?P<gap>\s+)(?P<type>[A-Za-z_][\w:]*(?:\s*<[^;<>(){}]*>)?)\s+"
    r"(?P<name>[A-Za-z_]\w*)\s*\[(?P<length>[^;\[\]]+)\]\s*;"
)
_MEMORIES = {
    "ubuf": "VECCALC",
    "cbuf": "A1",
    "ca": "A2",
    "cb": "B2",
    "cc": "CO1",
    "biasbuf": "C2",
    "fbuf": "C2PIPE2GM",
}


@lru_cache(maxsize=64)
def blanked(text: str) -> str:
    """Return the text with blanks for its comments and literals; places and lines stay."""
    return OPAQUE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


@lru_cache(maxsize=64)  # every launch asks for the same few files
def portable(text: str) -> str:
    """Return the source for any C++17 compiler, with as many lines.

    A member function that is specialised for AIC and AIV within its class becomes overloads that exclude each other,
    and its primary template one that gives way to them: g++ before 14 has no specialisations in a class.
    """
    if "aicore" in text:
        text = _BEHIND.sub(lambda m: m[1] + "\n" * m[2].count("\n"), text)
        text = _ATTRIBUTE.sub(_mark, text)
    if _NESTED.search(text):
        text = _nested_specials(text)
    if "__" in text and _ARRAY.search(text):
        text = _ARRAY.sub(_array, text)
    if "g_coreType" in text and _SPECIAL.search(text):
        text = _SPECIAL.sub(_overload, text)
        text = _PRIMARY.sub(_fallback, text)
    return text


def _mark(m: re.Match[str]) -> str:
    """Return the twin's mark of a device function for a literal attribute."""
    return (" AKGEN_DEVICE " if "aicore" in m[0] else " ") + "\n" * m[0].count("\n")


def _array(m: re.Match[str]) -> str:
    """Return the declaration of an array in an on-chip memory as one of a reference into the simulated memory."""
    there = f"AscendC::TPosition::{_MEMORIES[m['memory']]}, {m.start()}u"
    length = " ".join(m["length"].split())
    made = f"AscendC::detail::static_array<{m['type']}, ({length})>({there})"
    return f"auto &{m['name']} = {made};" + "\n" * m[0].count("\n")


def _overload(m: re.Match[str]) -> str:
    choice = f"std::enable_if_t<AKGEN_CORE == {m['core']}, int> = 0"
    return f"template <int AKGEN_CORE = g_coreType, {choice}>{m['words']}({m['args']})"


def _fallback(m: re.Match[str]) -> str:
    rest = f"{m['args']}, AKGEN_REST..." if m["args"].strip() else "AKGEN_REST..."
    return f"template <{m['param']} = g_coreType, typename... AKGEN_REST>{m['words']}({rest})"


def _nested_specials(text: str) -> str:
    """Give class templates that are specialised within a class one more parameter, so that it is done partially."""
    plain = blanked(text)
    for m in reversed(list(_NESTED.finditer(plain))):
        if not _in_class(plain, m.start()):
            continue
        head = f"template <typename AKGEN_ANY>{m['key']}{m['name']}<{m['args']}, AKGEN_ANY>"
        text = text[: m.start()] + head + text[m.end() :]
        primary = re.compile(rf"template\s*<(?P<list>[^<>]+)>(?=\s*(?:struct|class)\s+{m['name']}\s*[{{;])")
        found = [p for p in primary.finditer(plain, 0, m.start()) if _in_class(plain, p.start())]
        if found:
            p = found[-1]
            text = text[: p.start()] + f"template <{p['list']}, typename AKGEN_ANY = void>" + text[p.end() :]
    return text


def _in_class(plain: str, at: int) -> bool:
    """Say whether the innermost open brace before `at` is a class's."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if plain[i] == "}":
            depth += 1
        elif plain[i] == "{":
            if depth == 0:
                opener = re.split(r"[;{}]", plain[max(0, i - 600) : i])[-1]
                return re.search(r"\b(?:class|struct)\s+\w", opener) is not None
            depth -= 1
    return False


def unset_members(said: str) -> list[tuple[str, int, str]]:
    """Return file, line and name of members that g++ wants a constexpr constructor to initialise, before C++20."""
    return list({(m[2], int(m[3]), m[1]) for m in _UNSET.finditer(said)})


def initialise(file: Path, line: int, name: str) -> bool:
    """Initialise a member where it is declared; its constructors assign it anyway. False: it is not declared there."""
    lines = file.read_text().split("\n")
    if not 0 < line <= len(lines):
        return False
    there = re.sub(rf"\b({name}\s*(?:\[[^\]]*\]\s*)*);", r"\1{};", lines[line - 1], count=1)
    changed = there != lines[line - 1]
    lines[line - 1] = there
    file.write_text("\n".join(lines))
    return changed


_LAUNCH = re.compile(r"\b\w+\s*(?:<[^;{}<>]*>)?\s*<<<[^;{}]*?>>>\s*\([^;{}]*\)\s*;")


def without_launches(text: str) -> str:
    """Blank out each launch, in as many lines; the host function around it is never called."""
    return _LAUNCH.sub(lambda m: ";" + "\n" * m[0].count("\n"), text) if "<<<" in text else text
