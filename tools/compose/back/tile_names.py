"""Names of buffers and single values, given when all uses are known: what a buffer holds, if that is one thing."""

from collections.abc import Mapping, Sequence
from typing import Any

from akgen.tools.compose.front.graph import COMPARISONS
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.core.frozen import Frozen

_NOUNS = {
    "add": "sum", "sub": "difference", "mul": "product", "div": "quotient", "max": "larger", "min": "smaller",
    "pow": "power", "rsqrt": "inverse_root", "sqrt": "root", "neg": "negative", "where": "choice",
    "and": "both", "or": "either", "not": "opposite",
}  # fmt: skip
_THROUGH = ("cast", "round_float16", "round_bfloat16")  # the same number in another type


def meaning(index: int, values: Sequence[Value], inputs: Sequence[str]) -> str:
    """Return a word or two for a value: the tensor that it is loaded from, what was done last, what was reduced."""
    value = values[index]
    while value.op in _THROUGH:
        value = values[value.args[0]]
    if value.op == "load" and value.origin is not None:
        source = value.origin.input
        return "stored_tile" if source is None else f"{inputs[source].removeprefix('g_')}_tile"
    if value.op in ("reduce", "scan"):
        running = "running_" if value.op == "scan" else ""
        return f"{meaning(value.args[0], values, inputs).removesuffix('_tile')}_{running}{value.kind}"
    if value.op == "mul" and value.args[0] == value.args[1]:
        return "square"
    counts = [a for a in value.args if values[a].op == "inv_count"]
    if value.op == "mul" and counts:
        (whole,) = [a for a in value.args if a not in counts] or value.args[:1]
        return meaning(whole, values, inputs).removesuffix("_tile").removesuffix("_sum") + "_mean"
    return "holds" if value.op in COMPARISONS else _NOUNS.get(value.op, value.op)


def chosen(wishes: Sequence[str], fallback: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it: what all uses wish, else the fallback, numbered."""
    agreed = len(set(wishes)) == 1 and wishes[0]
    base, number = (wishes[0], 1) if agreed else (fallback, 0)
    name = base if agreed else f"{base}0"
    while name in taken:
        number += 1
        name = f"{base}{number}"
    taken.add(name)
    return name


def strings_in(node: object) -> set[str]:
    """Return every string of statements and expressions."""
    if isinstance(node, str):
        return {node}
    if isinstance(node, tuple):
        return set[str]().union(*map(strings_in, node))
    if isinstance(node, Frozen):
        return set[str]().union(*(strings_in(getattr(node, name)) for name in type(node).model_fields))
    return set()


def renamed(node: object, names: Mapping[str, str]) -> Any:
    """Return statements and expressions with these names replaced."""
    if isinstance(node, str):
        return names.get(node, node)
    if isinstance(node, tuple):
        return tuple(renamed(part, names) for part in node)
    if isinstance(node, Frozen):
        parts = {name: getattr(node, name) for name in type(node).model_fields}
        new = {n: renamed(part, names) for n, part in parts.items() if isinstance(part, (str, tuple, Frozen))}
        return node.model_copy(update=new)
    return node
