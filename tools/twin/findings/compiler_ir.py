"""What a compiler's intermediate representation says of scalar code: GIMPLE and LLVM IR alike."""

from pathlib import Path
from typing import NamedTuple

from akgen.tools.core.untrusted import plain_text, read_bytes

DUMP = "conversions.txt"  # the file that it is written to
MOST_DUMP_BYTES = 64 << 20

FLOATING = frozenset({"float", "double", "half", "_Float16", "float16_t", "float32_t"})
UNSIGNED = frozenset(
    {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "uintptr_t", "unsigned char", "unsigned short"}
    | {
        "short unsigned int",
        "unsigned int",
        "long unsigned int",
        "long long unsigned int",
        "unsigned",
        "uint",
    }
)
HALF = frozenset({"half", "_Float16", "float16_t"})


def take_dump(folder: Path) -> str:
    """Return the dump that a compile left and remove it; empty if there is none. Raises FileRefused."""
    dump = folder / DUMP
    if not dump.is_file():
        return ""
    try:
        return plain_text(read_bytes(dump, most_bytes=MOST_DUMP_BYTES), most_bytes=MOST_DUMP_BYTES)
    finally:
        dump.unlink()


def is_refused(source: str, to: str) -> bool:
    """Say whether the device's compiler refuses to convert variables so: float and unsigned, double and anything."""
    return (
        (source in FLOATING and to in UNSIGNED)
        or (source in UNSIGNED and to in FLOATING)
        or ("double" in (source, to) and source != to and bool(source) and to != "bool")
    )


class Converted(NamedTuple):
    """A conversion that `is_refused`. `operand` or `column`, or neither, is known."""

    file: str
    line: int
    source: str  # type
    to: str
    operand: str | None = None  # the name in the source, if it is a plain one
    column: int | None = None  # where the operand begins in its line, from 1
    kept: bool = False  # a variable is initialised with it or assigned it; else it is part of an expression


class Computed(NamedTuple):
    """An operation on two halves, or a comparison of them."""

    file: str
    line: int
    sign: str


Steps = tuple[Converted | Computed, ...]


class CompiledFunction(NamedTuple):
    """A function that is compiled. Its body holds a call of another one as ` SYMBOL (`."""

    symbol: str
    name: str  # with template arguments, and with its scope where that is known
    file: str
    line: int  # of its head or its first statement
    body: str
    marked: bool  # with __aicore__ or __global__

    @property
    def plain_name(self) -> str:
        """Return the name without scope and template arguments: up of detail::up<int>, K of K<half>::K."""
        depth, plain = 0, ""
        for c in self.name:
            depth += (c == "<") - (c == ">")
            plain += c if depth == 0 and c != ">" else ""
        return plain.split("::")[-1].strip()
