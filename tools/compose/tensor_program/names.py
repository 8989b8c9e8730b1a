"""What the values of a tensor program are called: as the user's own lines call them, and few names beside these.

A value that is used up where the next one of the same line is made gives its name to it, so that `t1 = div(t1, 6.0)` is
a line that many programs share.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from string import ascii_lowercase

from akgen.tools.compose.front.graph import Graph, needed_by
from akgen.tools.compose.front.traced import Ref, TracedGraph, TracedOutput
from akgen.tools.core.dtypes import DType

_LINE = re.compile(r"^[^:]+:\d+: (?P<name>[A-Za-z_]\w*) = ")


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
