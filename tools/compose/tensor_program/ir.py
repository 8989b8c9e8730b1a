"""A tensor program as data: inputs with symbolic shapes, operations in order, results; the table of operations; names.

Values are called as the user's own lines call them, with few names beside these: a value that is used up where the next
one of the same line is made gives its name to it, so that `t1 = div(t1, 6.0)` is a line that many programs share.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from string import ascii_lowercase
from typing import Literal

from akgen.tools.compose.front.graph import BINARY, COMPARISONS, UNARY, Graph, needed_by
from akgen.tools.compose.front.traced import Ref, TracedGraph, TracedOutput
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import Const, Expr, Name

# Operations that the composer's graph calls otherwise than the tile DSL does.
_DSL_WORDS = {
    "log": "ln", "max": "maximum", "min": "minimum", "pow": "power", "not": "mask_not", "and": "mask_and",
    "or": "mask_or",
}  # fmt: skip
KINDS = ("sum", "prod", "max", "min")
CASTS = {"float32": DType.FLOAT32, "int32": DType.INT32, "bool": DType.BOOL}
Prefix = Literal["..."]
"""Stands for any number of leading lengths."""
_LINE = re.compile(r"^[^:]+:\d+: (?P<name>[A-Za-z_]\w*) = ")


class Form(Frozen):
    """What an operation takes: how many values, then how many numbers, or lengths in brackets; then options."""

    values: tuple[int, int | None]  # least and most; None: any number
    numbers: tuple[int, int | None] = (0, 0)
    dims: bool = False
    dtype: bool = False
    options: frozenset[str] = frozenset()


_NOT_WRITTEN = ("bits_of", "of_bits")  # of the composer's graphs alone


def _forms() -> dict[str, Form]:
    forms = {_DSL_WORDS.get(op, op): Form(values=(1, 1)) for op in UNARY if op not in _NOT_WRITTEN}
    forms |= {_DSL_WORDS.get(op, op): Form(values=(2, 2)) for op in BINARY}
    forms["where"] = Form(values=(3, 3))
    forms["cast"] = Form(values=(1, 1), dtype=True)
    forms["matmul"] = Form(values=(2, 2))
    forms["stored"] = Form(values=(1, 1))
    for kind in KINDS:
        forms[f"reduce_{kind}"] = Form(values=(1, 1), numbers=(1, None))
        forms[f"scan_{kind}"] = Form(values=(1, 1), numbers=(1, 1), options=frozenset({"reverse"}))
    forms["inv_count"] = Form(values=(1, 1), numbers=(1, None), options=frozenset({"less"}))
    forms["iota"] = Form(values=(0, 0), numbers=(1, 1), options=frozenset({"start", "step"}))
    for name in ("reshape", "expand"):
        forms[name] = Form(values=(1, 1), dims=True)
    forms["permute"] = Form(values=(1, 1), numbers=(1, None))
    forms["slice"] = Form(values=(1, 1), numbers=(3, 4))
    forms["cat"] = Form(values=(1, None), options=frozenset({"axis"}))
    forms["take"] = Form(values=(2, None), options=frozenset({"fill"}))
    for name in ("sort_values", "sort_places"):
        forms[name] = Form(values=(1, 1), numbers=(1, 1), options=frozenset({"smallest"}))
    return forms


FORMS = _forms()
GRAPH_WORDS = {word: op for op, word in _DSL_WORDS.items()}
MASKS = frozenset({"mask_not", "mask_and", "mask_or"})
WHOLE = frozenset({"bit_and", "shift_right"})


def word_of(op: str) -> str:
    """Return what a pointwise operation of the graph is called in a program."""
    return _DSL_WORDS.get(op, op)


def compares(word: str) -> bool:
    return GRAPH_WORDS.get(word, word) in COMPARISONS


class TensorInput(Frozen):
    """An operator input; inputs stand in the order of the operator's interface."""

    name: str
    dims: tuple[Expr | Prefix, ...]
    line: int = 0


class TensorOp(Frozen):
    """One line: `name = op(values…, numbers…, option=…)`. A value is a name or a written number."""

    name: str
    op: str
    values: tuple[Name | Const, ...]
    numbers: tuple[Expr, ...] = ()
    dims: tuple[Expr | Prefix, ...] | None = None
    dtype: DType | None = None
    options: tuple[tuple[str, Expr], ...] = ()
    line: int = 0


class TensorProgram(Frozen):
    """`symbols` are the lengths that the inputs' shapes name, in order of appearance."""

    inputs: tuple[TensorInput, ...]
    ops: tuple[TensorOp, ...]
    results: tuple[str, ...]
    text: str

    @property
    def symbols(self) -> tuple[str, ...]:
        found = (d.id for i in self.inputs for d in i.dims if isinstance(d, Name))
        return tuple(dict.fromkeys(found))


def with_named_values(case: TracedGraph) -> tuple[TracedGraph, tuple[str, ...]]:
    """Return the trace with the last value of every line that assigns one as a further output, and their names."""
    last: dict[str, int] = {}
    for node in case.nodes:
        found = _LINE.match(node.line or "")
        meta = node.metas[0] if node.metas else None
        if found and node.kind == "call" and meta is not None and meta.dtype != DType.COMPLEX64:
            last[f"{found['name']} {node.line}"] = node.index
    dtypes = {n.index: n.metas[0].dtype for n in case.nodes if n.metas and n.metas[0] is not None}
    more = tuple(
        TracedOutput(ref=Ref(node=node), output=len(case.outputs) + k, dtype=dtypes[node])
        for k, node in enumerate(last.values())
    )
    names = tuple(key.split(" ")[0] for key in last)
    return case.model_copy(update={"outputs": (*case.outputs, *more)}), names


def without_named_values(graph: Graph, results: int) -> tuple[Graph, tuple[int | None, ...]]:
    """Return the graph of the first `results` outputs alone, and where in it the other outputs' values stand."""
    kept = sorted(needed_by((o.node for o in graph.outputs[:results]), graph.nodes))
    new = {old: k for k, old in enumerate(kept)}
    alone = graph.model_copy(update={"outputs": graph.outputs[:results]}).pruned()
    return alone, tuple(new.get(o.node) for o in graph.outputs[results:])


def value_names(graph: Graph, wanted: Mapping[int, str], taken: Sequence[str]) -> dict[int, str]:
    """Name every computed value. `wanted` are the user's names; `taken` names, those of the inputs, stay theirs."""
    last = _last_uses(graph)
    names: dict[int, str] = {}
    holder: dict[str, int] = dict.fromkeys(taken, -1)  # the value that has the name now
    last[-1] = len(graph.nodes)

    def free(name: str, now: int, until: int) -> bool:
        """Say whether a value made now may have the name, which a later one wants at `until`."""
        return (name not in holder or last[holder[name]] <= now) and (until == now or last[now] <= until)

    for i, node in enumerate(graph.nodes):
        if node.op in ("load", "const"):
            continue
        until = next((j for j in range(i, len(graph.nodes)) if j in wanted), None)
        wish = None if until is None else wanted[until]
        if wish is None or until is None or not free(wish, i, until):
            wish = next(n for n in _spare() if n not in wanted.values() and free(n, i, i))
        names[i] = wish
        holder[wish] = i
    return names


def _last_uses(graph: Graph) -> dict[int, int]:
    """Return where each value is used last; results are used after everything."""
    last = dict.fromkeys(range(len(graph.nodes)), 0)
    for i, node in enumerate(graph.nodes):
        for a in node.args:
            last[a] = i
    for o in graph.outputs:
        last[o.node] = len(graph.nodes)
    return last


def _spare() -> Iterator[str]:
    yield from ascii_lowercase
    for k in count(1):
        yield f"v{k}"
