"""What a kernel's entry point is called: a C function, which must not meet the C library's or the vendor's names."""

from functools import cache
from pathlib import Path

_FILE = Path(__file__).resolve().parent / "data" / "taken_names.txt"


@cache
def taken_names() -> frozenset[str]:
    """Return the names that entry points cannot have."""
    lines = _FILE.read_text().splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def entry_name(text: str) -> str:
    """Return the name for any text, such as a file's: lower case, never a number first, `_op` behind a taken name."""
    name = "".join(c if c.isalnum() and c.isascii() else "_" for c in text).lower() or "op"
    name = name if name[0].isalpha() else f"op_{name}"
    return f"{name}_op" if name in taken_names() else name
