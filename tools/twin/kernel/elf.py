"""Read an ELF file that a candidate's source was compiled to: its symbols, and what runs when it is loaded.

Nothing is run. Little-endian ELF64 only, which is what the twin's compilers make. Section attributes and assembly text
decide much of such a file, so no number in it is believed: offsets lie in the file, tables have a limit together, and
what does not hold is refused in one sentence.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from akgen.tools.core.untrusted import FileRefused, read_bytes

MOST_BYTES = 256 << 20  # what the sandbox lets a compiler write
MOST_ENTRIES = 2_000_000  # of all tables together: sections may share their bytes
MOST_NAME_BYTES = 1 << 16
MOST_NAMES_BYTES = 64 << 20  # together: names may share their bytes, too
_SYMTAB, _RELA, _DYNAMIC, _DYNSYM = 2, 4, 6, 11
_OBJECT, _FUNCTION, _TLS, _GNU_IFUNC = 1, 2, 6, 10
_WRITE = 1  # SHF_WRITE
_STARTUP_TAGS = {
    12: "DT_INIT",
    13: "DT_FINI",
    25: "DT_INIT_ARRAY",
    26: "DT_FINI_ARRAY",
    32: "DT_PREINIT_ARRAY",
}
_IRELATIVE = {37, 1032}  # x86-64, AArch64: a resolver runs when the library is loaded
_FUNCTIONS, _CALLS = "akgen_functions", "akgen_calls"  # sections that the seal writes
_COLLECTED = ("_GLOBAL__sub_I_", "__cxx_global_var_init")
_SYMBOL = struct.Struct("<IBBHQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_PAIR = struct.Struct("<QQ")


class ElfRefused(ValueError):
    """A file that is not taken as ELF; the message says why."""


class Elf(NamedTuple):
    """`defined` (with addresses) and `undefined` are dynamic symbols; `startup` says what would run before the kernel.

    `startup_code` has address and size of the functions in which compilers collect it; a project may name its own.
    The seal notes where `functions` begin, and the names `called` that a text does not define.
    """

    defined: dict[str, int]
    undefined: frozenset[str]
    startup: tuple[str, ...]
    startup_code: tuple[tuple[int, int], ...]
    functions: frozenset[int]
    called: frozenset[str]


def read_elf(path: Path) -> Elf:
    """Read a shared object. Raises ElfRefused if it is none, or a damaged one."""
    file = _File(path)
    defined: dict[str, int] = {}
    undefined: set[str] = set()
    functions: set[int] = set()
    called: set[str] = set()
    startup: set[str] = set()
    collected: list[tuple[int, int]] = []
    for section in file.sections:
        if section.name == _FUNCTIONS:
            functions.update(file.places(section))
        elif section.name == _CALLS:
            called.update(file.texts(section))
        elif section.kind == _DYNSYM:
            for symbol in file.symbols(section):
                if symbol.section:
                    defined[symbol.name] = symbol.value
                else:  # weak ones, too: who has them would be called
                    undefined.add(symbol.name)
                if symbol.kind == _GNU_IFUNC and symbol.section:
                    startup.add(f"the indirect function {symbol.name}")
        elif section.kind == _SYMTAB:
            collected += [
                (s.value, s.size)
                for s in file.symbols(section)
                if s.kind == _FUNCTION and s.name.startswith(_COLLECTED)
            ]
        elif section.kind == _RELA:
            if any(info & 0xFFFFFFFF in _IRELATIVE for _, info in file.pairs(section, 24)):
                startup.add("an indirect function")
        elif section.kind == _DYNAMIC:
            startup |= {_STARTUP_TAGS[tag] for tag, _ in file.pairs(section, 16) if tag in _STARTUP_TAGS}
    return Elf(
        defined=defined,
        undefined=frozenset(undefined),
        startup=tuple(sorted(startup)),
        startup_code=tuple(collected),
        functions=frozenset(functions),
        called=frozenset(called),
    )


def undefined_in(path: Path) -> frozenset[str]:
    """Return the symbols that an object file needs from elsewhere. Raises ElfRefused if it is none."""
    return frozenset(symbol.name for symbol in _symbols_of(path) if not symbol.section)


def global_in(path: Path) -> frozenset[str]:
    """Return the symbols that an object file defines for others. Raises ElfRefused if it is none."""
    return frozenset(symbol.name for symbol in _symbols_of(path) if symbol.section and not symbol.local)


# Sections that are written while a library is loaded, and never by it; some linkers give their symbols a size.
_OF_THE_LINKER = frozenset({".dynamic", ".got", ".got.plt", ".data.rel.ro"})


def variables_in(path: Path) -> frozenset[str]:
    """Return the names of what a library can write and keeps from call to call. Raises ElfRefused if it is none."""
    file = _File(path)
    writable = {n for n, s in enumerate(file.sections) if s.writable and s.name not in _OF_THE_LINKER}
    tables = (table for table in file.sections if table.kind == _SYMTAB)
    return frozenset(
        s.name
        for table in tables
        for s in file.symbols(table)
        if s.section in writable and s.kind in (_OBJECT, _TLS) and s.size
    )


def _symbols_of(path: Path) -> Iterator["_Symbol"]:
    file = _File(path)
    for table in file.sections:
        if table.kind == _SYMTAB:
            yield from file.symbols(table)


class _Section(NamedTuple):
    name: str
    kind: int
    address: int
    at: int
    length: int
    link: int
    writable: bool


class _Symbol(NamedTuple):
    name: str
    kind: int
    local: bool
    section: int
    value: int
    size: int


class _File:
    """The bytes of a file, its sections, and how much more of it is read."""

    def __init__(self, path: Path) -> None:
        try:
            self._data = read_bytes(path, most_bytes=MOST_BYTES)
        except FileRefused as problem:
            raise ElfRefused(str(problem)) from None
        if self._data[:6] != b"\x7fELF\x02\x01" or len(self._data) < 64:
            raise ElfRefused("it is no little-endian ELF64 file")
        self._entries = MOST_ENTRIES
        self._names_bytes = MOST_NAMES_BYTES
        begin = struct.unpack_from("<Q", self._data, 40)[0]
        size, count, named = struct.unpack_from("<HHH", self._data, 58)
        if count and size != _SECTION.size:
            raise ElfRefused(f"its sections have records of {size} bytes")
        records = self._part(begin, count * size)
        every = [_SECTION.unpack_from(records, i * size) for i in range(count)]
        if count and named >= count:
            raise ElfRefused("its sections have no names")
        names = _Section("", 0, 0, every[named][4], every[named][5], 0, False) if count else None
        self.sections = tuple(
            _Section(
                self._name(names, name) if names else "",
                kind,
                address,
                at,
                length,
                link,
                bool(flags & _WRITE),
            )
            for name, kind, flags, address, at, length, link, *_ in every
        )

    def symbols(self, table: _Section) -> Iterator[_Symbol]:
        """Yield a table's symbols but the first, which is nobody's."""
        if table.link >= len(self.sections):
            raise ElfRefused("a table of symbols has no names")
        names = self.sections[table.link]
        self._part(names.at, names.length)
        for begin in self._steps(table, _SYMBOL.size, 1):
            name, info, _, section, value, size = _SYMBOL.unpack_from(self._data, begin)
            yield _Symbol(self._name(names, name), info & 0xF, not info >> 4, section, value, size)

    def pairs(self, table: _Section, size: int) -> Iterator[tuple[int, int]]:
        """Yield the first two words of each record."""
        for begin in self._steps(table, size, 0):
            first, second = _PAIR.unpack_from(self._data, begin)
            yield first, second

    def places(self, table: _Section) -> Iterator[int]:
        """Yield the addresses that a table holds as distances from its words."""
        for begin in self._steps(table, 4, 0):
            yield table.address + begin - table.at + struct.unpack_from("<i", self._data, begin)[0]

    def texts(self, table: _Section) -> list[str]:
        """Return the texts of a table, each of which ends in a zero byte."""
        part = bytes(self._part(table.at, min(table.length, MOST_NAMES_BYTES)))
        return [text.decode(errors="replace") for text in part.split(b"\0") if text]

    def _steps(self, table: _Section, size: int, first: int) -> range:
        self._part(table.at, table.length)
        found = range(table.at + first * size, table.at + table.length - size + 1, size)
        self._entries -= len(found)
        if self._entries < 0:
            raise ElfRefused(f"its tables hold more than {MOST_ENTRIES} records")
        return found

    def _part(self, begin: int, length: int) -> memoryview:
        if begin + length > len(self._data):
            raise ElfRefused("a table lies beyond its end")
        return memoryview(self._data)[begin : begin + length]

    def _name(self, names: _Section, offset: int) -> str:
        begin, last = names.at + offset, names.at + names.length
        end = self._data.find(b"\0", begin, min(last, begin + MOST_NAME_BYTES))
        if end < 0:
            raise ElfRefused("the name of a symbol has no end")
        self._names_bytes -= end - begin
        if self._names_bytes < 0:
            raise ElfRefused(f"its names have more than {MOST_NAMES_BYTES} bytes")
        return self._data[begin:end].decode(errors="replace")
