"""The names that the twin's own headers give to kernels and op_host code: interfaces, members by class, enumerators,
and the rows of the tables of APIs, from which the C++ side makes its enumerators, overloads, checks and loops."""

import re
from functools import cache

from akgen.knowledge.cards import cards
from akgen.tools.core.frozen import Frozen
from akgen.tools.twin.include_folders import DEVICE_INCLUDE, HOST_INCLUDE

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DETAIL = re.compile(r"\bnamespace\s+detail\s*\{")
_FUNCTION = re.compile(r"\b([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)\s*\(")
_MADE = re.compile(r"\bAKGEN_\w+\((\w+)")
_TYPE = re.compile(r"\b(?:class|struct|enum class|enum)\s+(?:AKGEN_\w+\s+)?([A-Z]\w+)")
_CLASS = re.compile(
    r"\b(?:class|struct)\s+(?:AKGEN_\w+\s+)?(\w+)\s*(?:final\s*)?(?::\s*public\s+([\w:]+)[^{;]*)?\{"
)
_TABLES = DEVICE_INCLUDE / "akgen" / "tables"
_ROW = re.compile(r"^AKGEN_(\w+)\((\w+),\s*AKGEN_", re.MULTILINE)  # a row of an API has named fields
_FIELD = re.compile(r"AKGEN_(\w+)\(")
_ENUM = re.compile(r"\benum(?:\s+class)?\s+(\w+)[^{;]*\{([^}]*)\}")


class ApiRow(Frozen):
    """One row: `kind` is its macro without AKGEN_, `fields` are the texts of its fields by their names."""

    table: str
    kind: str
    row: str
    fields: dict[str, str]

    @property
    def api(self) -> str:
        """Return the vendor's name, which a row that is a variant of an API gives as a field."""
        return self.fields["NAME"].strip('"') if "NAME" in self.fields else self.row

    @property
    def dtypes(self) -> tuple[str, ...]:
        return tuple(t.strip() for t in self.fields.get("DTYPES", "").split(",") if t.strip())


@cache
def interfaces(side: str) -> frozenset[str]:
    """Return functions and types that code of a side ("device", "host") may name."""
    text = _text(side)
    found = {*_FUNCTION.findall(text), *_MADE.findall(text), *_TYPE.findall(text)}
    if side == "device":
        found |= {row.api for row in api_rows()}
        words = set(re.findall(r"\b[A-Z]\w+", text))
        found |= {name for name in cards() if name in words}
        found -= (
            {m for of_class in members(side).values() for m in of_class} - set(cards()) - set(members(side))
        )
    return frozenset(n for n in found if not n.startswith("AKGEN"))


@cache
def members(side: str) -> dict[str, frozenset[str]]:
    """Return the member functions of every class, those of its base class included."""
    own: dict[str, set[str]] = {}
    bases: dict[str, str] = {}
    text = _text(side)
    for match in _CLASS.finditer(text):
        own.setdefault(match[1], set()).update(_FUNCTION.findall(_block(text, match.end() - 1)))
        if match[2]:
            bases[match[1]] = match[2].split("::")[-1]
    return {name: frozenset(own[name] | own.get(bases.get(name, ""), set())) for name in own}


@cache
def enumerators() -> dict[str, tuple[str, ...]]:
    """Return the enumerators of every enumeration for kernels."""
    return {
        match[1]: tuple(re.findall(r"(?:^|,)\s*(\w+)", match[2])) for match in _ENUM.finditer(_text("device"))
    }


@cache
def api_rows() -> tuple[ApiRow, ...]:
    """Return every row of every table, in the order of the files."""
    found = []
    for path in sorted(_TABLES.glob("*.def")):
        text = path.read_text()
        for match in _ROW.finditer(text):
            inner = _block(text, text.index("(", match.start()), "()")
            fields = {f[1]: _block(inner, f.end() - 1, "()") for f in _FIELD.finditer(inner)}
            found.append(ApiRow(table=path.stem, kind=match[1], row=match[2], fields=fields))
    return tuple(found)


@cache
def _text(side: str) -> str:
    """Return the public part of a side's headers: without comments, and without what is nobody's to name."""
    if side == "host":
        files = sorted(HOST_INCLUDE.rglob("*.h"))
    else:
        files = [p for p in sorted(DEVICE_INCLUDE.rglob("*.h")) if DEVICE_INCLUDE / "akgen" not in p.parents]
    return "\n".join(_without_detail(_COMMENT.sub(" ", p.read_text(errors="replace"))) for p in files)


def _without_detail(text: str) -> str:
    while match := _DETAIL.search(text):
        inner = _block(text, match.end() - 1)
        text = text[: match.start()] + text[match.end() + len(inner) :]
    return text


def _block(text: str, opening: int, pair: str = "{}") -> str:
    """Return what stands between the bracket at `opening` and its partner, or the rest of the text."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return text[opening + 1 : at]
    return text[opening + 1 :]
