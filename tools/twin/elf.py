"""Read what a compiled kernel asks of the loader, without running anything: start-up code, unknown symbols.

Little-endian ELF64 shared objects only, which is what the twin's compilers make.
"""

import struct
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_SYMTAB, _DYNSYM, _RELA = 2, 11, 4
_FUNCTION = 2
_STARTUP_TAGS = {
    12: "DT_INIT",
    13: "DT_FINI",
    25: "DT_INIT_ARRAY",
    26: "DT_FINI_ARRAY",
    32: "DT_PREINIT_ARRAY",
}
_IRELATIVE = {37, 1032}  # x86-64, AArch64: a resolver runs when the library is loaded
_GNU_IFUNC = 10
_WEAK = 2
_COLLECTED = ("_GLOBAL__sub_I_", "__cxx_global_var_init")


class Elf(NamedTuple):
    """`defined` and `undefined` are dynamic symbols; `startup` says what would run before the kernel is called.

    `startup_code` has address and size of the functions in which compilers collect it; a project may name its own.
    """

    defined: frozenset[str]
    undefined: frozenset[str]
    startup: tuple[str, ...]
    startup_code: tuple[tuple[int, int], ...] = ()


def read_elf(path: Path) -> Elf:
    """Read a shared object. Raises ValueError if it is none."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no little-endian ELF64 file")
    offset, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    defined: set[str] = set()
    undefined: set[str] = set()
    startup: set[str] = set()
    collected: list[tuple[int, int]] = []
    for _, kind, _, _, at, length, link, _, _, _ in sections:
        if kind == _DYNSYM:
            strings = sections[link][4]
            for entry in range(at + 24, at + length, 24):
                name_at, info, _, section, _, _ = struct.unpack_from("<IBBHQQ", data, entry)
                name = _text(data, strings + name_at)
                if section:
                    defined.add(name)
                elif info >> 4 != _WEAK:
                    undefined.add(name)
                if info & 0xF == _GNU_IFUNC and section:
                    startup.add(f"the indirect function {name}")
        elif kind == _SYMTAB:
            strings = sections[link][4]
            for entry in range(at + 24, at + length, 24):
                name_at, info, _, _, value, size = struct.unpack_from("<IBBHQQ", data, entry)
                if info & 0xF == _FUNCTION and _text(data, strings + name_at).startswith(_COLLECTED):
                    collected.append((value, size))
        elif kind == _RELA:
            for entry in range(at, at + length, 24):
                if struct.unpack_from("<QQ", data, entry)[1] & 0xFFFFFFFF in _IRELATIVE:
                    startup.add("an indirect function")
        elif kind == 6:  # dynamic
            for entry in range(at, at + length, 16):
                tag = struct.unpack_from("<Q", data, entry)[0]
                if tag in _STARTUP_TAGS:
                    startup.add(_STARTUP_TAGS[tag])
    return Elf(frozenset(defined), frozenset(undefined), tuple(sorted(startup)), tuple(collected))


def undefined_in(path: Path) -> frozenset[str]:
    """Return the symbols that an object file needs from elsewhere. Raises ValueError if it is none."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no little-endian ELF64 file")
    offset, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    found = set()
    for _, kind, _, _, at, length, link, _, _, _ in sections:
        if kind == _SYMTAB:
            for entry in range(at + 24, at + length, 24):
                name_at, _, _, section, _, _ = struct.unpack_from("<IBBHQQ", data, entry)
                if not section:
                    found.add(_text(data, sections[link][4] + name_at))
    return frozenset(found)


@lru_cache(maxsize=4)
def exported_by(library: Path) -> frozenset[str]:
    return read_elf(library).defined


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode(errors="replace")
