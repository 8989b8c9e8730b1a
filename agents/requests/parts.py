"""Say what operators are made of, so that a description beside an operator's name is not taken for more operators."""

import ast
import re
from functools import cache

from akgen.agents.requests.formula import operations_of
from akgen.knowledge.data_files import read_json
from akgen.knowledge.operators import OperatorEntry, operator_named

_SIGNS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.USub: "neg",
}  # fmt: skip
_RANK = re.compile(r"(?<=[a-z])[123]d\Z")


@cache
def parts_of(name: str) -> frozenset[str]:
    """Return the operators that a definition of the operator applies, by the catalogue's names; none if unknown."""
    listed: dict[str, list[str]] = read_json("made_of.json")
    entry = operator_named(name)
    found = {*listed.get(name, ()), *listed.get(_RANK.sub("", name), ())}
    if entry is not None and entry.source is not None:
        tree = ast.parse(entry.source)
        found |= {
            _SIGNS[type(n.op)]
            for n in ast.walk(tree)
            if isinstance(n, ast.BinOp | ast.UnaryOp) and type(n.op) in _SIGNS
        }
        called = {ast.unparse(n.func).rpartition(".")[2] for n in ast.walk(tree) if isinstance(n, ast.Call)}
        found |= called
        found |= {part for c in called for part in listed.get(c, ())}
        if "torch.int8" in entry.source or ".to(" in entry.source:
            found.add("cast")
    return frozenset(found)


def describes(formula: str, name: str) -> bool:
    """Say whether a formula applies nothing but what the operator is made of."""
    parts = parts_of(name)
    return bool(parts) and operations_of(formula) <= parts | {name}


def is_more_special(entry: OperatorEntry, other: OperatorEntry) -> bool:
    """Say whether an operator is the other one for so many axes: conv2d of conv, lp_pool2d of lp_pool."""
    return _RANK.sub("", entry.name) == other.name and entry.name != other.name
