"""Cut a graph into phases: what one loop nest cannot hold goes through workspace tensors, all cores meeting between.

A graph that is one phase stays one. Else every output and every value cut at is a target, computed in the first phase
in which all that it loads is there; targets of a phase share loops where they can. A target that cannot be scheduled
is followed down to the first value that cannot; of the sets of values below it that make it possible, stored before,
the one of the fewest bytes is cut at. Library operations are always cut: operands and results are tensors in memory.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from akgen.tools.compose.front.graph import CONTRACTIONS, VIEWS, Graph, Node, Output, needed_by, skeleton
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.axes import LIBRARY
from akgen.tools.compose.middle.loop_nest import LoopNest, Value
from akgen.tools.compose.middle.lowering import loop_nests
from akgen.tools.compose.middle.pieces import Piece, chained, joined, shifted
from akgen.tools.compose.middle.sink_slices import sink_slices
from akgen.tools.compose.scope import Redundant, Unending, Unsupported
from akgen.tools.core.dtypes import DType

Check = Callable[[LoopNest, int], None]
"""Raises Unsupported where no schedule runs a nest of the case of this number, Redundant where it should not."""

Nests = tuple[LoopNest, ...]
Phase = tuple[int, tuple[Output, ...]]  # its number, and targets that share loops
Loaded = frozenset[tuple[int, int]]  # values that are cut at, with the numbers of their workspace tensors
MOST_NODES = 2000  # of the graph of a phase
_NARROW = 8  # times fewer elements than there are points for which they are computed
LONGEST_SEARCH = 240.0  # seconds of processor time
_LEAVES = frozenset(["load", "const", "iota", "count", "inv_count"])


def partition(
    cases: Sequence[tuple[Piece, ...]], aliases: Sequence[Sequence[int | None]], check: Check
) -> tuple[Nests, ...]:
    """Return, for each case, the nests that compute its graph, which comes in pieces, each with its phase.

    Cases whose graphs differ in sizes alone are cut alike. Raises Unsupported where no cut helps. `aliases` gives, for
    each operator output of a case, the input in whose place it is written.
    """
    alike: dict[object, list[int]] = {}
    for i, pieces in enumerate(cases):
        parts = tuple((skeleton(p.graph), p.turns > 0) for p in pieces)
        alike.setdefault((parts, tuple(aliases[i])), []).append(i)
    found: dict[int, Nests] = {}
    for members in alike.values():
        for i, nests in _all_pieces({i: cases[i] for i in members}, aliases, check).items():
            found[i] = nests
    return tuple(found[i] for i in range(len(cases)))


def _all_pieces(
    cases: dict[int, tuple[Piece, ...]], aliases: Sequence[Sequence[int | None]], check: Check
) -> dict[int, Nests]:
    """Return the nests of cases whose pieces are alike, piece after piece."""
    pieces = list(zip(*cases.values(), strict=True))
    temps = 1 + max((o.temp for p in pieces for o in p[0].graph.outputs if o.temp is not None), default=-1)
    found: dict[int, Nests] = dict.fromkeys(cases, ())
    first = 0
    for loop, each in enumerate(pieces):
        graphs = {i: piece.graph for i, piece in zip(cases, each, strict=True)}
        turns = {i: piece.turns for i, piece in zip(cases, each, strict=True)}
        cutter = _Cutter(graphs, check, temps, loop if each[0].turns else None, turns)
        phases = _partitioned(cutter)
        last, copies = 1 + max(level for level, _ in phases), list[Output]()
        late = {o for i in cases for o in _overwritten(cutter.all_nests(i, phases), aliases[i])}
        if late:
            phases, copies = cutter.put_off(phases, late)
        for i in cases:
            nests = (*cutter.all_nests(i, phases), *(cutter.copy(i, c, last) for c in copies))
            found[i] += tuple(n.model_copy(update={"phase": first + n.phase}) for n in nests)
        first = 1 + max(n.phase for nests in found.values() for n in nests)
        temps = max(temps, 1 + max(cutter.cuts.values(), default=-1))
    return found


def _partitioned(cutter: "_Cutter") -> list[Phase]:
    """Cut until every case is possible, asking one case first and those that refuse then. Raises Unsupported."""
    while True:
        known = dict(cutter.cuts)
        phases = _one_case_more(cutter)
        refusing = next((i for i in cutter.cases if not cutter.serves(i, phases)), None)
        if refusing is None:
            return phases
        if refusing not in cutter.asked:
            cutter.ask(refusing)
        elif cutter.cuts == known:
            cutter.all_nests(refusing, phases)  # it stays refused: nothing more would be cut at


def _one_case_more(cutter: "_Cutter") -> list[Phase]:
    graph = cutter.g
    if not cutter.cuts and not any(n.op in LIBRARY for n in graph.nodes):
        whole = [(0, graph.outputs)]
        if all(cutter.serves(i, whole) for i in cutter.asked):
            return whole
    cutter.cut_at_library()
    cutter.cut(shifted(graph, cutter.cuts))
    cutter.cut(joined(graph))
    cutter.cut(chained(graph))
    for node in dict.fromkeys([*cutter.cuts, *(o.node for o in graph.outputs)]):
        cutter.make_possible(node)
    return cutter.phases()


class _Cutter:
    """Graphs of one skeleton being cut; `cuts` are the values that are stored in between, by the number of their
    workspace tensor. What is possible is asked of a few of the cases."""

    def __init__(
        self, cases: dict[int, Graph], check: Check, first: int, loop: int | None, turns: dict[int, int]
    ) -> None:
        """With `loop`, the graphs are the body of one; `first` is the first number for workspace tensors."""
        self.cases, self.check, self.first = cases, check, first
        self.looped = {i: {"loop": loop, "turns": turns[i]} for i in cases}
        self.asked = [max(cases, key=lambda i: sum(math.prod(n.shape) for n in cases[i].nodes))]
        self.g = cases[self.asked[0]]
        self._until = time.thread_time() + LONGEST_SEARCH
        self.cuts: dict[int, int] = {}
        self.copied: set[Output] = set()  # outputs that are loaded from where they were cut at
        self._users: list[list[int]] = [[] for _ in self.g.nodes]
        for i, n in enumerate(self.g.nodes):
            for a in dict.fromkeys(n.args):
                self._users[a].append(i)
        self._known: dict[tuple[int, tuple[Output, ...], Loaded], Nests | Unsupported] = {}
        self._redundant: dict[tuple[int, tuple[Output, ...], Loaded], Redundant] = {}
        self._tolerated: set[int] = set()  # values that no cut spares from being computed redundantly
        self._once: set[int] = set()  # values that were possible with fewer cuts, and are likely to be still

    # what is possible

    def ask(self, case: int) -> None:
        """Ask one more case what is possible, the first of all."""
        self.asked.insert(0, case)

    def nests(self, case: int, targets: tuple[Output, ...]) -> Nests:
        """Return the nests that compute targets from inputs and from what is cut at. Raises Unsupported."""
        key = (case, targets, self._loaded(targets))
        if key not in self._known:
            if time.thread_time() > self._until:
                raise Unending
            try:
                sunk = sink_slices(self._graph(case, targets))
                if len(sunk.nodes) > MOST_NODES:
                    raise Unsupported("depth", "more operations than one phase is given")
                nests = tuple(n.model_copy(update=self.looped[case]) for n in loop_nests(sunk))
                for nest in nests:
                    try:
                        self.check(nest, case)
                    except Redundant as refused:
                        self._redundant[key] = refused
                self._known[key] = nests
            except Unsupported as refused:
                self._known[key] = refused
        found = self._known[key]
        if isinstance(found, Unsupported):
            raise found
        if key in self._redundant and not self._tolerated.issuperset(t.node for t in targets):
            raise self._redundant[key]
        return found

    def all_nests(self, case: int, phases: Sequence[Phase]) -> Nests:
        """Return the nests of all phases. Raises Unsupported."""
        return tuple(
            n.model_copy(update={"phase": level})
            for level, targets in phases
            for n in self.nests(case, targets)
        )

    def serves(self, case: int, phases: Sequence[Phase]) -> bool:
        try:
            self.all_nests(case, phases)
        except Unsupported:
            return False
        return True

    def _graph(self, case: int, targets: tuple[Output, ...]) -> Graph:
        """Return the graph of targets in which the other values that are cut at are loads."""
        computed = self._stores(targets)
        nodes = [
            Node(op="load", dtype=n.dtype, shape=n.shape, origin=Origin(temp=self.cuts[i]))
            if i in self.cuts and i not in computed
            else n
            for i, n in enumerate(self.cases[case].nodes)
        ]
        own = dict(zip(self.g.outputs, self.cases[case].outputs, strict=True))
        outputs = tuple(own.get(t, t) for t in targets)
        return Graph(nodes=tuple(nodes), outputs=outputs, apart=self.g.apart).pruned()

    def _loaded(self, targets: tuple[Output, ...]) -> Loaded:
        """Return which of the values that are cut at are loaded for targets."""
        computed = self._stores(targets)
        stack, seen = [t.node for t in targets], set[int]()
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                if i in computed or i not in self.cuts:
                    stack.extend(self.g.nodes[i].args)
        return frozenset((i, self.cuts[i]) for i in seen if i in self.cuts and i not in computed)

    def _stores(self, targets: Iterable[Output]) -> set[int]:
        """Return the values that are computed for targets, whether or not they are cut at."""
        return {t.node for t in targets if t not in self.copied}

    def possible(self, node: int, cuts: Iterable[int] = ()) -> Unsupported | None:
        """Return why a value cannot be computed and stored, None if it can; with more values cut at."""
        kept = dict(self.cuts)
        more = [c for c in cuts if c not in self.cuts]
        for c in more:
            self.cuts[c] = self.first + len(self.cuts)
        try:
            for c in (*more, node):
                for case in self.asked:
                    self.nests(case, (self.target(c),))
        except Unsupported as refused:
            return refused
        finally:
            self.cuts = kept
        return None

    def target(self, node: int) -> Output:
        """Return a value as what is stored in a workspace tensor: in a half type where it is rounded to one."""
        value = self.g.nodes[node]
        dtype = DType(value.op.removeprefix("round_")) if value.op.startswith("round_") else value.dtype
        dtype = self._multiplied_as(node) or dtype
        return Output(node=node, temp=self.cuts.get(node, self.first + len(self.cuts)), dtype=dtype)

    def _multiplied_as(self, node: int) -> DType | None:
        """Return the dtype in which a product wants the value, of which it may see a view, to lie in memory."""
        for i in self._users[node]:
            user = self.g.nodes[i]
            found = self._multiplied_as(i) if user.op in VIEWS else None
            if user.op in CONTRACTIONS and node in user.args[:2]:
                found = user.stored
            if found is not None:
                return found
        return None

    # cuts

    def cut(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.cuts.setdefault(node, self.first + len(self.cuts))

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
        users = self._users[node]
        stored = any(o.node == node for o in self.g.outputs)
        alone = len(users) == 1 and not stored and self.g.nodes[users[0]].op.startswith("round_")
        return users[0] if alone else node

    def _stored_only(self, node: int) -> bool:
        """Return whether a value goes as it is to an output, and to nothing else."""
        users = self._users[node]
        outputs = [o for o in self.g.outputs if o.node == node]
        if len(users) == 1 and not outputs:
            user = self.g.nodes[users[0]]
            return (user.op in VIEWS or user.op.startswith("round_")) and self._stored_only(users[0])
        if users or len(outputs) != 1:
            return False
        return all(self.serves(case, [(0, (outputs[0],))]) for case in self.asked)

    def make_possible(self, node: int) -> None:
        """Cut until the value can be computed. Raises Unsupported where no cut helps.

        What no cut spares from being computed redundantly stays so.
        """
        refused = self.possible(node)
        self._once -= {node} if refused is not None else set()
        again = False  # all were asked again, with the same cuts
        while refused is not None:
            lowest = self._lowest(node)
            if lowest is None:
                return
            reason = self.possible(lowest) or refused
            try:
                self.cut(self._best(lowest, reason))
                again = False
            except Redundant:
                self._tolerated.add(lowest)
            except Unsupported:
                if again:
                    raise
                self._once.clear()  # a further cut may have made one of these impossible: ask again
                again = True

    def _lowest(self, node: int) -> int | None:
        """Return a value that is not possible though its operands are; None if this one is possible.

        What was possible once is not asked again. On the way up a chain of values, from what is loaded, each question
        doubles the distance, until one is impossible; then each halves what is left. What is computed from something
        impossible is taken to be impossible, too. So a question is never much larger than what one phase holds.
        """
        while True:
            path = [node, *self._path(node)]
            high, reach = len(path), 1  # what is from `high` on is possible
            while high > 0 and self._once_possible(path[max(0, high - reach)]):
                high, reach = max(0, high - reach), 2 * reach
            if high == 0:
                return None
            low = max(0, high - reach) + 1  # the one before `low` is impossible
            while low < high:
                middle = (low + high) // 2
                if self._once_possible(path[middle]):
                    high = middle
                else:
                    low = middle + 1
            node = path[low - 1]
            worse = next((a for a in self._below(node) if not self._once_possible(a)), None)
            if worse is None:
                return node
            node = worse

    def _once_possible(self, node: int) -> bool:
        if node not in self._once and self.possible(node) is None:
            self._once.add(node)
        return node in self._once

    def _below(self, node: int) -> list[int]:
        """Return the operands that are computed in the same phase."""
        return [a for a in self.g.nodes[node].args if self._computed(a)]

    def _path(self, node: int) -> list[int]:
        """Return a long chain of values below a value: at each step down, the operand that was made last."""
        path: list[int] = []
        while below := self._below(node):
            node = max(below)
            path.append(node)
        return path

    def _best(self, node: int, refused: Unsupported) -> tuple[int, ...]:
        """Return the values of the fewest bytes that, cut at, make `node` possible."""
        found = list(self._options(node))
        if isinstance(refused, Redundant):
            found += self._narrow(node)
        options = sorted(dict.fromkeys(found), key=self._bytes)
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
        seen = tuple(dict.fromkeys(a for a in self.g.nodes[node].args if self._is_seen(a)))
        outputs = {o.node for o in self.g.outputs}
        stored = tuple(i for i in sorted(needed_by(self.g.nodes[node].args, self.g.nodes)) if i in outputs)
        stored = tuple(i for i in stored if self._computed(i))  # somebody wants it in memory anyway
        for group in (operands, reductions, turned, joined, seen, stored):
            yield from ((g,) for g in group)
            if group:
                yield group
        for other in (operands, reductions, joined):
            if turned and other:
                yield tuple(dict.fromkeys((*turned, *other)))

    def _narrow(self, node: int) -> Iterator[tuple[int, ...]]:
        """Yield sets of values below a node that vary along few of the axes over which the node's operands do."""
        g = self.g.nodes
        widest = max((math.prod(g[a].shape) for a in g[node].args), default=0)
        few = tuple(
            self._nearest(
                node,
                lambda n: n.pointwise and _NARROW * math.prod(n.shape) <= widest and len(n.shape) > 0,
            )
        )
        yield from ((f,) for f in few)
        if few:
            yield few

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

    def _is_seen(self, node: int) -> bool:
        """Return whether a value is a view of what is computed: stored, it lies as it is seen."""
        return self._computed(node) and self.g.nodes[node].op in VIEWS and self._base(node) != node

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
            level = self._level(output.node)
            if output.node in self.cuts and not self._together((output,)):
                # what cannot be stored as the output can be as a tensor of the workspace
                self.copied.add(output)
            level += output in self.copied
            levels.setdefault(level, []).append(output)
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
        yield from ((level, g) for g in groups)

    def _together(self, targets: tuple[Output, ...]) -> bool:
        return all(self.serves(case, [(0, targets)]) for case in self.asked)

    # outputs in the place of inputs

    def put_off(self, phases: Sequence[Phase], late: set[int]) -> tuple[list[Phase], list[Output]]:
        """Let outputs that would overwrite what is still read go to the workspace; return them as copies to make."""
        changed: list[Phase] = []
        copies: list[Output] = []
        for level, targets in phases:
            mine = [t for t in targets if t.output in late]
            self.cut(t.node for t in mine)
            copies += mine
            kept = [
                self.target(t.node) if t in mine else t
                for t in targets
                if t not in mine or t not in self.copied
            ]
            changed += [(level, tuple(dict.fromkeys(kept)))] if kept else []
        return changed, copies

    def copy(self, case: int, output: Output, phase: int) -> LoopNest:
        """Return the nest that copies a value from the workspace to its output."""
        value = self.cases[case].nodes[output.node]
        origin = Origin(temp=self.cuts[output.node])
        load = Node(op="load", dtype=value.dtype, shape=value.shape, origin=origin)
        graph = Graph(nodes=(load,), outputs=(output.model_copy(update={"node": 0}),))
        (nest,) = loop_nests(sink_slices(graph))
        return nest.model_copy(update={"phase": phase})


def _overwritten(nests: Nests, aliases: Sequence[int | None]) -> Iterator[int]:
    """Yield outputs written in place of an input that is read elsewhere, in the same phase or later."""
    for nest in nests:
        for store in nest.stores:
            source = None if store.output is None else aliases[store.output]
            if source is None or store.output is None:
                continue
            others = [n for n in nests if n is not nest and n.phase >= nest.phase]
            below = needed_by([store.value], nest.values)
            if any(_reads(v, source) for n in others for v in n.values) or any(
                _reads(nest.values[i], source) and nest.values[i].access != store.access for i in below
            ):
                yield store.output


def _reads(value: Value, source: int) -> bool:
    return value.origin is not None and value.origin.input == source
