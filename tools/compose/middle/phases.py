"""Cut a graph into phases: what one loop nest cannot hold goes through workspace tensors, all cores meeting between.

A graph that is one phase stays one. Else every output and every value cut at is a target, computed in the first phase
in which all that it loads is there; targets of a phase share loops where they can. A target that cannot be scheduled
is followed down to the first value that cannot; of the sets of values below it that make it possible, stored before,
the one of the fewest bytes is cut at. Library operations are always cut: operands and results are tensors in memory.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from akgen.tools.compose.front.graph import VIEWS, Graph, Node, Output, needed_by
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.axes import LIBRARY
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.lowering import loop_nests
from akgen.tools.compose.middle.sink_slices import sink_slices
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

Check = Callable[[LoopNest], None]
"""Raises Unsupported where no schedule runs a nest."""

Nests = tuple[LoopNest, ...]
_LEAVES = frozenset(["load", "const", "iota", "count", "inv_count"])


def partition(graph: Graph, aliases: Sequence[int | None], check: Check) -> Nests:
    """Return the nests that compute the graph, each with its phase. Raises Unsupported where no cut helps.

    `aliases` gives, for each operator output, the input in whose place it is written.
    """
    cutter = _Cutter(graph, check)
    if not any(n.op in LIBRARY for n in graph.nodes):
        try:
            return _ordered([(0, graph.outputs, cutter.nests(graph.outputs))], aliases, cutter)
        except Unsupported:
            pass
    cutter.cut_at_library()
    for node in dict.fromkeys([*cutter.cuts, *(o.node for o in graph.outputs)]):
        cutter.make_possible(node)
    return _ordered(cutter.phases(), aliases, cutter)


Phase = tuple[int, tuple[Output, ...], Nests]


class _Cutter:
    """A graph being cut; `cuts` are the values that are stored in between, by the number of their workspace tensor."""

    def __init__(self, graph: Graph, check: Check) -> None:
        self.g, self.check = graph, check
        self.cuts: dict[int, int] = {}
        self._known: dict[tuple[Output, ...], Nests | Unsupported] = {}

    # what is possible

    def nests(self, targets: tuple[Output, ...]) -> Nests:
        """Return the nests that compute targets from inputs and from what is cut at. Raises Unsupported."""
        if targets not in self._known:
            try:
                nests = loop_nests(sink_slices(self._graph(targets)))
                for nest in nests:
                    self.check(nest)
                self._known[targets] = nests
            except Unsupported as refused:
                self._known[targets] = refused
        found = self._known[targets]
        if isinstance(found, Unsupported):
            raise found
        return found

    def _graph(self, targets: tuple[Output, ...]) -> Graph:
        """Return the graph of targets in which the other values that are cut at are loads."""
        computed = {t.node for t in targets}
        nodes = [
            Node(op="load", dtype=n.dtype, shape=n.shape, origin=Origin(temp=self.cuts[i]))
            if i in self.cuts and i not in computed
            else n
            for i, n in enumerate(self.g.nodes)
        ]
        return Graph(nodes=tuple(nodes), outputs=targets).pruned()

    def possible(self, node: int, cuts: Iterable[int] = ()) -> Unsupported | None:
        """Return why a value cannot be computed and stored, None if it can; with more values cut at."""
        kept = dict(self.cuts)
        more = [c for c in cuts if c not in self.cuts]
        known = self._known
        if more:
            self._known = {}
            for c in more:
                self.cuts[c] = len(self.cuts)
        try:
            for c in (*more, node):
                self.nests((self.target(c),))
        except Unsupported as refused:
            return refused
        finally:
            self.cuts, self._known = kept, known
        return None

    def target(self, node: int) -> Output:
        """Return a value as what is stored in a workspace tensor: in a half type where it is rounded to one."""
        value = self.g.nodes[node]
        dtype = DType(value.op.removeprefix("round_")) if value.op.startswith("round_") else value.dtype
        return Output(node=node, temp=self.cuts.get(node, len(self.cuts)), dtype=dtype)

    # cuts

    def cut(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.cuts.setdefault(node, len(self.cuts))
        self._known = {}

    def cut_at_library(self) -> None:
        """Cut at every library operation and at what is computed for it."""
        for i, node in enumerate(self.g.nodes):
            if node.op in LIBRARY:
                bases = [self._base(a) for a in node.args]
                self.cut([b for b in bases if self._computed(b)])
                if not self._stored_only(i):
                    self.cut([self._rounded(i)])

    def _rounded(self, node: int) -> int:
        """Return what rounds the value, if that is all that is done with it: the store rounds, too."""
        users = [i for i, n in enumerate(self.g.nodes) if node in n.args]
        stored = any(o.node == node for o in self.g.outputs)
        alone = len(users) == 1 and not stored and self.g.nodes[users[0]].op.startswith("round_")
        return users[0] if alone else node

    def _stored_only(self, node: int) -> bool:
        """Return whether a value goes as it is to an output, and to nothing else."""
        users = [i for i, n in enumerate(self.g.nodes) if node in n.args]
        outputs = [o for o in self.g.outputs if o.node == node]
        if len(users) == 1 and not outputs:
            user = self.g.nodes[users[0]]
            return (user.op in VIEWS or user.op.startswith("round_")) and self._stored_only(users[0])
        if users or len(outputs) != 1:
            return False
        try:
            self.nests((outputs[0],))
        except Unsupported:
            return False
        return True

    def make_possible(self, node: int) -> None:
        """Cut until the value can be computed. Raises Unsupported where no cut helps."""
        while (refused := self.possible(node)) is not None:
            lowest = self._lowest(node)
            self.cut(self._best(lowest, self.possible(lowest) or refused))

    def _lowest(self, node: int) -> int:
        """Return a value that is not possible though its operands are."""
        while True:
            below = (a for a in self.g.nodes[node].args if a not in self.cuts and not self._is_leaf(a))
            worse = next((a for a in below if self.possible(a) is not None), None)
            if worse is None:
                return node
            node = worse

    def _best(self, node: int, refused: Unsupported) -> tuple[int, ...]:
        """Return the values of the fewest bytes that, cut at, make `node` possible."""
        options = sorted(dict.fromkeys(self._options(node)), key=self._bytes)
        for option in options:
            if self.possible(node, option) is None:
                return option
        raise refused

    def _options(self, node: int) -> Iterator[tuple[int, ...]]:
        """Yield sets of values below a node at which a cut may help."""
        operands = tuple(
            dict.fromkeys(b for a in self.g.nodes[node].args if self._computed(b := self._base(a)))
        )
        reductions = tuple(self._nearest(node, lambda n: n.op in ("reduce", "scan")))
        turned = tuple(self._nearest(node, lambda n: n.op in ("permute", "slice")))
        turned = tuple(t for t in turned if not self._computed(self._base(t)))
        joined = tuple(self._nearest(node, lambda n: n.op == "cat"))
        for group in (operands, reductions, turned, joined):
            yield from ((g,) for g in group)
            if group:
                yield group
        for other in (operands, reductions, joined):
            if turned and other:
                yield tuple(dict.fromkeys((*turned, *other)))

    def _nearest(self, node: int, wanted: Callable[[Node], bool]) -> Iterator[int]:
        """Yield the values below a node that are wanted, none below another."""
        stack, seen = list(self.g.nodes[node].args), set[int]()
        while stack:
            i = stack.pop()
            if i in seen or i in self.cuts:
                continue
            seen.add(i)
            if wanted(self.g.nodes[i]):
                yield i
            else:
                stack.extend(self.g.nodes[i].args)

    def _base(self, node: int) -> int:
        """Return what a view is a view of."""
        while node not in self.cuts and self.g.nodes[node].op in VIEWS:
            (node,) = self.g.nodes[node].args
        return node

    def _is_leaf(self, node: int) -> bool:
        return self.g.nodes[node].op in _LEAVES

    def _computed(self, node: int) -> bool:
        return not self._is_leaf(node) and node not in self.cuts

    def _bytes(self, nodes: tuple[int, ...]) -> int:
        return sum(math.prod(self.g.nodes[n].shape) * self.g.nodes[n].dtype.size_bytes for n in nodes)

    # phases

    def phases(self) -> list[Phase]:
        """Return the targets in groups that share loops, each with its phase and nests."""
        levels: dict[int, list[Output]] = {}
        for node in self.cuts:
            levels.setdefault(self._level(node), []).append(self.target(node))
        for output in self.g.outputs:
            levels.setdefault(self._level(output.node), []).append(output)
        return [group for level in sorted(levels) for group in self._grouped(level, levels[level])]

    def _level(self, node: int) -> int:
        """Return the first phase in which all is there that a value is computed from."""
        below = needed_by(self.g.nodes[node].args, self.g.nodes)
        depth: dict[int, int] = {}
        for i in sorted({*below, node}):
            under = max((depth[a] for a in self.g.nodes[i].args), default=0)
            depth[i] = under + 1 if i in self.cuts and i != node else under
        return depth[node]

    def _grouped(self, level: int, targets: list[Output]) -> Iterator[Phase]:
        groups: list[tuple[Output, ...]] = []
        if self._together(tuple(targets)):
            groups = [tuple(targets)]
        else:
            for target in targets:
                at = next((k for k, g in enumerate(groups) if self._together((*g, target))), None)
                if at is None:
                    groups.append((target,))
                else:
                    groups[at] = (*groups[at], target)
        yield from ((level, g, self.nests(g)) for g in groups)

    def _together(self, targets: tuple[Output, ...]) -> bool:
        try:
            self.nests(targets)
        except Unsupported:
            return False
        return True


def _ordered(phases: list[Phase], aliases: Sequence[int | None], cutter: _Cutter) -> Nests:
    """Return the nests with their phases; an output that overwrites what others still read is copied at the end."""
    nests = [n.model_copy(update={"phase": level}) for level, _, found in phases for n in found]
    late = {o for n in nests for o in _overwrites(n, nests, aliases)}
    if not late:
        return tuple(nests)
    last = max(level for level, _, _ in phases) + 1
    numbers = count(len(cutter.cuts))
    copies: list[Output] = []
    changed: list[Phase] = []
    for level, targets, _ in phases:
        new: list[Output] = []
        for t in targets:
            if t.output in late and t.node not in cutter.cuts:
                cutter.cuts[t.node] = next(numbers)
            if t.output in late:
                copies.append(t)
                t = cutter.target(t.node)
            new.append(t)
        changed.append((level, tuple(dict.fromkeys(new)), ()))
    found = [n.model_copy(update={"phase": level}) for level, g, _ in changed for n in cutter.nests(g)]
    for copy in copies:
        value = cutter.g.nodes[copy.node]
        load = Node(
            op="load", dtype=value.dtype, shape=value.shape, origin=Origin(temp=cutter.cuts[copy.node])
        )
        graph = Graph(nodes=(load,), outputs=(copy.model_copy(update={"node": 0}),))
        found += [n.model_copy(update={"phase": last}) for n in loop_nests(sink_slices(graph))]
    return tuple(found)


def _overwrites(nest: LoopNest, nests: list[LoopNest], aliases: Sequence[int | None]) -> Iterator[int]:
    """Yield outputs of a nest written in place of an input that another nest reads in the same phase or later."""
    for store in nest.stores:
        source = None if store.output is None else aliases[store.output]
        if source is None or store.output is None:
            continue
        for other in nests:
            reads = any(v.origin is not None and v.origin.input == source for v in other.values)
            if other is not nest and other.phase >= nest.phase and reads:
                yield store.output
