"""Say which sizes may be told by their roles for an operator: batch and heads of attention, m, n and k of a product."""

from akgen.agents.requests import sizes
from akgen.knowledge.operators import OperatorEntry


def roles_of(entries: list[OperatorEntry]) -> tuple[str, ...]:
    """Return the sizes that may be named for these operators."""
    found: list[str] = []
    for entry in entries:
        for key, shapes in sizes.SIZES.items():
            if key in (entry.category, entry.name):
                found += [role for shape in shapes for role in shape]
        if entry.name in ("linear", "bmm", "matmul"):
            found.append("batch")
        if entry.name == "linear":
            found.append("tokens")
        if entry.category in sizes.GENERAL_FOR:
            found += sizes.GENERAL
        if "positions" in entry.draws.values():
            found.append("tokens")
        if entry.name == "embedding":
            found += ("batch", "tokens")
        others = {
            "loss": ("batch",),
            "convolution": ("batch", "long", "channels"),
            "pooling": ("batch", "channels"),
            "attention": ("long",),
        }
        found += others.get(entry.category, ())
    return tuple(dict.fromkeys(found))
