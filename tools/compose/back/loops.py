"""Write a template as nested loops: which value is computed at which depth, in how many passes.

Level 0 is the kernel, deeper levels are loops. A value belongs to the deepest level that introduces one of its axes
(or one of its operands). A reduction over looped axes is owned by the level outside these loops: it is accumulated
inside and finished after them, and what needs it waits for another pass.
"""

from collections.abc import Iterator, Sequence

from akgen.tools.compose.back.cross_core import CrossCore
from akgen.tools.compose.back.layout import Layout, Level, Sink, Tensors, start_of
from akgen.tools.compose.back.operands import Location
from akgen.tools.compose.back.redundancy import LoopWork
from akgen.tools.compose.back.writer import Tile, Writer
from akgen.tools.compose.front.graph import needed_by
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import Name


class LoopCodegen(CrossCore):
    """Writes one template through the levels; results of several cores are combined through global memory."""

    def __init__(
        self,
        template: SymbolicNest,
        writer: Writer,
        layout: Layout,
        levels: Sequence[Level],
        tensors: Tensors,
        share: Name,
    ) -> None:
        super().__init__(template, writer, layout, levels, tensors, share)
        self.owner = self._owners()
        self.depth = self._depths()

    # analysis

    def _axis_depth(self, axis: int) -> int:
        for k, level in enumerate(self.levels):
            if axis in level.axes:
                return k
        return 0

    def _owners(self) -> dict[int, int]:
        """Return the level that owns each reduction over looped axes."""
        owners: dict[int, int] = {}
        for i in self.t.nest.reductions():
            value = self.t.values[i]
            depths = [self._axis_depth(a) for a in value.over if self._axis_depth(a) > 0]
            if depths:
                owners[i] = min(depths) - 1
                kept = max((self._axis_depth(a) for a in value.deps), default=0)
                if kept > owners[i]:
                    raise Unsupported("reduction", "a reduction over an outer axis only is not covered here")
        return owners

    def _depths(self) -> list[int]:
        depths: list[int] = []
        for i, v in enumerate(self.t.values):
            if i in self.owner:
                depths.append(self.owner[i])
                continue
            own = max((self._axis_depth(a) for a in v.deps), default=0)
            depths.append(max([own, *(depths[a] for a in v.args)]))
        return depths

    def _sink_depth(self, sink: Sink) -> int:
        depth = self.depth[self.arg(sink)]
        if sink.kind == "store":
            axes = self.t.nest.stores[sink.index].axes
            return max([depth, *(self._axis_depth(a) for a in axes)])
        return max([depth, *(self._axis_depth(a) for a in self.t.values[sink.index].over)])

    def _needs_through(self, roots: Sequence[int]) -> set[int]:
        """As _needs, but through reductions that are still to be done."""
        seen: set[int] = set()
        stack = [r for r in roots if r not in self.held]
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                stack.extend(a for a in self.t.values[i].args if a not in self.held)
        return seen

    def work(self) -> tuple[LoopWork, ...]:
        """Return, of each value and store, the axes over which it is computed and those over which it varies."""
        found: list[LoopWork] = []
        for i, v in enumerate(self.t.values):
            if v.op == "reduce":
                varies = frozenset((*v.deps, *v.over, *self.t.values[v.args[0]].deps))
                found.append(
                    LoopWork(self._run_over(self._sink_depth(Sink("accumulate", i))) | varies, varies)
                )
            elif v.op not in ("const", "inv_count"):
                varies = frozenset(v.deps)
                found.append(LoopWork(self._run_over(self.depth[i]) | varies, varies))
        for k, store in enumerate(self.t.nest.stores):
            varies = frozenset(store.axes)
            found.append(LoopWork(self._run_over(self._sink_depth(Sink("store", k))) | varies, varies))
        return tuple(found)

    def _run_over(self, depth: int) -> frozenset[int]:
        return frozenset[int]().union(*(level.axes for level in self.levels[: depth + 1]))

    # levels

    def run(self) -> None:
        """Write the body of the kernel."""
        sinks = [Sink("store", k) for k in range(len(self.t.nest.stores))]
        self._level(0, sinks)

    def _level(self, k: int, sinks: list[Sink]) -> None:
        pending = list(sinks)
        while True:
            waiting = self._owned_for(k, pending)
            if not waiting:
                break
            stage = [
                r for r in waiting
                if not any(o != r and o in self._needs_through([r]) for o in waiting)
            ]  # fmt: skip
            inner = [Sink("accumulate", r) for r in stage]
            ready = [s for s in pending if self._sink_depth(s) > k and not self._owned_for(k, [s])]
            ready = self._harmless(ready, [s for s in pending if s not in ready], stage)
            pending = [s for s in pending if s not in ready]
            rest = None if k or self._more(pending, stage) else pending
            if self._pass(k, inner, ready, rest):
                return
        deeper = [s for s in pending if self._sink_depth(s) > k]
        if deeper:
            self._pass(k, [], deeper)
        here = [s for s in pending if self._sink_depth(s) <= k]
        if here:
            self.here(k, here)

    def _harmless(self, ready: list[Sink], later: list[Sink], stage: list[int]) -> list[Sink]:
        """Leave out stores that overwrite an input which a pass after the reductions of `stage` still reads."""
        while True:
            seen: set[int] = set(stage)
            stack = [self.arg(s) for s in later]
            while stack:
                i = stack.pop()
                if i not in seen and i not in self.held:
                    seen.add(i)
                    stack.extend(self.t.values[i].args)
            origins = [self.t.values[i].origin for i in seen - set(stage)]
            read = {o.input for o in origins if o is not None}
            spoiling = [s for s in ready if s.kind == "store" and self._overwritten(s) in read - {None}]
            if not spoiling:
                return ready
            ready = [s for s in ready if s not in spoiling]
            later = [*later, *spoiling]

    def _overwritten(self, sink: Sink) -> int | None:
        return self.tensors.overwritten(self.t.nest.stores[sink.index])

    def _more(self, sinks: Sequence[Sink], stage: Sequence[int]) -> bool:
        """Return whether more than the reductions of `stage` is wanted: a pass over the data, an earlier reduction."""
        if any(self._sink_depth(s) > 0 for s in sinks):
            return True
        stack, seen = [self.arg(s) for s in sinks], set(stage)
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                if self.t.values[i].op == "reduce":
                    return True
                stack.extend(self.t.values[i].args)
        return False

    def _owned_for(self, k: int, sinks: Sequence[Sink]) -> list[int]:
        needed = self._needs_through([self.arg(s) for s in sinks])
        return sorted(r for r in needed if self.owner.get(r) == k and r not in self.held)

    def _pass(
        self, k: int, accumulate: list[Sink], others: list[Sink], rest: list[Sink] | None = None
    ) -> bool:
        """Run the next level's loops once for these sinks.

        `rest` are the sinks of the kernel's own level that only wait for this pass; return whether they were served.
        """
        sinks = accumulate + others
        roots = [self.arg(s) for s in sinks]
        needed = [i for i in self.needs(roots) if self.depth[i] <= k]
        fixed = set(self._boundary(roots, k))
        below = needed_by(fixed, self.t.values)
        self.block([i for i in needed if i in below], [], keep=fixed)
        self._extract(roots, k)
        totals = {s.index: self._start(s.index) for s in accumulate}
        carries = {i: self._start(i) for i in self._running(roots, k + 1)}
        level = self.levels[k + 1]
        self.w.close_stage()
        with level.opened():
            before = self.snapshot()
            self.totals.update(totals)
            self.carries.update(carries)
            self._level(k + 1, sinks)
            if not level.once:
                self.forget(before)
        self.w.close_stage()
        for index, tile in carries.items():
            del self.carries[index]
            self.w.release(tile)
        for index, tile in totals.items():
            self.held[index] = Location(self.t.values[index].dtype, tile=tile)
        return bool(k == 0 and totals) and self.combine(totals, rest)

    def _boundary(self, roots: Sequence[int], k: int) -> Iterator[int]:
        """Yield values of depth <= k that something deeper uses."""
        deep = [i for i in self.needs(roots) if self.depth[i] > k]
        used = {a for i in deep for a in self.t.values[i].args} | set(roots)
        for i in used:
            if self.depth[i] <= k and i not in self.held and i not in self.owner:
                yield i

    def _extract(self, roots: Sequence[int], k: int) -> None:
        """Make scalars of single values that deeper levels need as such, before their loops begin."""
        deep = [i for i in self.needs(roots) if self.depth[i] > k]
        used = {a for i in deep if self.extent_of(self.t.values[i]) != "S" for a in self.t.values[i].args}
        with self.w.stage("compute"):
            for i in sorted(used):
                held = self.held.get(i)
                single = held is not None and held.tile is not None and held.extent == "S"
                if held is not None and single and held.dtype != DType.BOOL and held.scalar is None:
                    self.ops.scalar(held)

    def _running(self, roots: Sequence[int], k: int) -> Iterator[int]:
        """Yield the scans below `roots` whose axis the loops of level `k` cut: a tile goes on from the one before."""
        for i in self.needs(roots):
            value = self.t.values[i]
            if value.op == "scan" and self._axis_depth(value.over[0]) == k:
                if self.depth[i] != k or len(self.levels[k].axes) > 1:
                    text = f"a running {value.kind} whose tiles do not follow one another is not covered"
                    raise Unsupported("scan", text)
                yield i

    def _start(self, index: int) -> Tile:
        """Return a tile for what is accumulated of a reduction, or is carried from tile to tile of a scan."""
        value = self.t.values[index]
        assert value.kind is not None
        extent = self.extent(tuple(a for a in value.deps if a not in value.over))
        tile = self.w.allocate(extent, self.w.type_name(value.dtype), wish=self.meaning(index))
        with self.w.stage("compute"):
            self.w.op("fill", tile, start_of(value), extent=self.layout.extents[extent])
        return tile
