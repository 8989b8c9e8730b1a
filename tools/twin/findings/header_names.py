"""The names that the twin's own headers give to kernels and op_host code: interfaces, members by class, enumerators,
and the rows of the tables of APIs, from which the C++ side makes its enumerators, overloads, checks and loops."""

import re
from functools import cache

from akgen.knowledge.cards import cards
from akgen.tools.core.frozen import Frozen
from akgen.tools.twin.findings.header_classes import block, header_classes, public_text
from akgen.tools.twin.precompiled import DEVICE_INCLUDE

_FUNCTION = re.compile(r"\b([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)\s*\(")
_MADE = re.compile(r"\bAKGEN_\w+\((\w+)")
_TYPE = re.compile(r"\b(?:class|struct|enum class|enum)\s+(?:AKGEN_\w+\s+)?([A-Z]\w+)")
_TABLES = DEVICE_INCLUDE / "akgen" / "tables"
_ROW = re.compile(r"^AKGEN_(\w+)\((\w+),\s*AKGEN_", re.MULTILINE)  # a row of an API has named fields
_FIELD = re.compile(r"AKGEN_(\w+)\(")
_ALIAS = re.compile(r"\busing\s+(\w+)\s*=\s*(\w+)\s*;")
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
    text = public_text(side)
    found = {*_FUNCTION.findall(text), *_MADE.findall(text), *_TYPE.findall(text)}
    if side == "device":
        found |= {row.api for row in api_rows()}
        words = set(re.findall(r"\b[A-Z]\w+", text))
        found |= {name for name in cards() if name in words}
        classes = header_classes(side)
        found -= {m for c in classes for m in c.members} - set(cards()) - {c.name for c in classes}
    return frozenset(n for n in found if not n.startswith("AKGEN"))


@cache
def enumerators(side: str) -> dict[str, tuple[str, ...]]:
    """Return the enumerators of every enumeration of a side's headers."""
    text = public_text(side)
    found = {match[1]: tuple(re.findall(r"(?:^|,)\s*(\w+)", match[2])) for match in _ENUM.finditer(text)}
    return found | {alias: found[of] for alias, of in _ALIAS.findall(text) if of in found}


@cache
def api_rows() -> tuple[ApiRow, ...]:
    """Return every row of every table, in the order of the files."""
    found = []
    for path in sorted(_TABLES.glob("*.def")):
        text = path.read_text()
        for match in _ROW.finditer(text):
            inner = block(text, text.index("(", match.start()), "()")
            fields = {f[1]: block(inner, f.end() - 1, "()") for f in _FIELD.finditer(inner)}
            found.append(ApiRow(table=path.stem, kind=match[1], row=match[2], fields=fields))
    return tuple(found)
