"""The names that kernels and op_host code can use, read from the twin's own headers, and the nearest to a wrong one."""

import difflib
import re
from functools import cache
from pathlib import Path

from akgen.knowledge.cards import cards
from akgen.tools.twin.runtime_build import DEVICE_INCLUDE, HOST_INCLUDE

_NAME = re.compile(r"\b([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)\b\s*\(")
_KIND = re.compile(r"\b(?:class|struct|enum class|enum)\s+([A-Z]\w+)")


@cache
def device_names() -> frozenset[str]:
    """Return functions, members and types that the device headers define; families made by macros are in the cards."""
    known = _names(DEVICE_INCLUDE)
    text = "\n".join(p.read_text(errors="replace") for p in DEVICE_INCLUDE.rglob("*.h"))
    words = frozenset(re.findall(r"\b[A-Z]\w+", text))
    return known | frozenset(name for name in cards() if name in words)


@cache
def host_names() -> frozenset[str]:
    return _names(HOST_INCLUDE)


def nearest(name: str, among: frozenset[str], count: int = 3) -> tuple[str, ...]:
    """Return the existing names that come closest, best first; nothing if none is close."""
    by_lower = {n.lower(): n for n in sorted(among)}
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=count, cutoff=0.6)
    return tuple(by_lower[c] for c in close)


def signature(name: str) -> str | None:
    """Return how an API is called, from its card, if it has one."""
    card = cards().get(name)
    return card.signatures[0] if card is not None and card.signatures else None


def _names(root: Path) -> frozenset[str]:
    found: set[str] = set()
    for path in root.rglob("*.h"):
        text = path.read_text(errors="replace")
        found.update(_NAME.findall(text))
        found.update(_KIND.findall(text))
    return frozenset(n for n in found if not n.startswith("AKGEN"))
