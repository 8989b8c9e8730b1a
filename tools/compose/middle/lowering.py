"""From a pushed graph to loop nests: one per group of outputs that share axes."""

import math

from akgen.tools.compose.front.graph import Node, needed_by
from akgen.tools.compose.middle.axes import LIBRARY, Accesses, Atoms, Dims, find_dims, tie_lookups
from akgen.tools.compose.middle.index_forms import AtomAccess
from akgen.tools.compose.middle.loop_nest import Access, Guard, LoopNest, OutputStore, Value
from akgen.tools.compose.middle.sink_slices import Region, SunkGraph
from akgen.tools.compose.scope import Unsupported


def loop_nests(pushed: SunkGraph) -> tuple[LoopNest, ...]:
    """Return the loop nests that together write every output."""
    needed = needed_by((r.node for r in pushed.regions), pushed.nodes)
    if any(d == 0 for i in needed for d in pushed.nodes[i].shape):
        raise Unsupported("empty tensor", "tensors without elements are not covered")
    atoms = Atoms()
    order = sorted(needed)
    index = {old: new for new, old in enumerate(order)}
    nodes = tuple(
        pushed.nodes[i].model_copy(update={"args": tuple(index[a] for a in pushed.nodes[i].args)})
        for i in order
    )
    dims = find_dims(nodes, atoms)
    _tie_regions(pushed.regions, [dims[index[r.node]] for r in pushed.regions], atoms)
    dims = [tuple(atoms.resolve(d) for d in node) for node in dims]
    stored = {a for r in pushed.regions for d in dims[index[r.node]] for a in d}
    if tie_lookups(nodes, dims, atoms, stored):
        dims = [tuple(atoms.resolve(d) for d in node) for node in dims]
    regions = tuple(r.model_copy(update={"node": index[r.node]}) for r in pushed.regions)
    for node_dims in dims:
        flat = [a for d in node_dims for a in d]
        if len(set(flat)) != len(flat):
            raise Unsupported("axes", "a value in which an axis meets itself (as in x + x.T) is not covered")
    builder = _Nests(nodes, dims, atoms)
    return tuple(builder.build(group) for group in builder.groups(regions))


def _tie_regions(regions: tuple[Region, ...], dims: list[Dims], atoms: Atoms) -> None:
    """Let pieces of one output that are equally large run through the same loops."""
    for k, region in enumerate(regions):
        for j in range(k):
            same = _target(regions[j]) == _target(region)
            sizes = [tuple(atoms.product(atoms.resolve(d)) for d in dims[i]) for i in (j, k)]
            if same and sizes[0] == sizes[1]:
                for a, b in zip(dims[j], dims[k], strict=True):
                    atoms.unify(a, b, "cat")
                break


def _target(region: Region) -> tuple[int | None, int | None, int | None]:
    return region.output, region.temp, region.element


class _Nests(Accesses):
    """The loop nests of a graph."""

    def groups(self, regions: tuple[Region, ...]) -> list[list[Region]]:
        """Gather regions of which one's loops run over the other's: all of one's axes are axes of the other.

        Those that have only some axes in common stay apart: one nest would run through every pair of the others. The
        results of one library operation, which have axes of their own, are made together.
        """
        groups: list[tuple[set[int], list[Region]]] = []
        for region in regions:
            mine = self.used(region.node) | {a for d in self.dims[region.node] for a in d}
            merged: tuple[set[int], list[Region]] = (set(mine), [])
            rest = []
            for other in groups:
                nested = merged[0] <= other[0] or other[0] <= merged[0]
                if merged[0] & other[0] and (nested or self._of_one_operation([region, *other[1]])):
                    merged[0].update(other[0])
                    merged[1].extend(other[1])
                else:
                    rest.append(other)
            merged[1].append(region)
            groups = [*rest, merged]
        scalars = [g for g in groups if not g[0]]
        if len(scalars) > 1:  # outputs without axes share one nest
            groups = [g for g in groups if g[0]] + [(set(), [r for g in scalars for r in g[1]])]
        return [g[1] for g in groups]

    def _of_one_operation(self, regions: list[Region]) -> bool:
        made = [self.nodes[r.node] for r in regions]
        return made[0].op in LIBRARY and len({n.args for n in made}) == 1

    def build(self, regions: list[Region]) -> LoopNest:
        return _NestWriter(self, regions).nest()


class _NestWriter:
    """One nest being written: atoms in order, merged to axes, values renumbered."""

    def __init__(self, parent: _Nests, regions: list[Region]) -> None:
        self.p, self.regions = parent, regions
        used: set[int] = set()
        for r in regions:
            used |= parent.used(r.node) | {a for d in parent.dims[r.node] for a in d}
        self.order = self._ordered(used)
        self.axes = self._merged(self.order)
        self.axis_of = {atom: k for k, axis in enumerate(self.axes) for atom in axis}
        self.values: list[Value] = []
        self.known: dict[Value, int] = {}
        self.done: dict[int, int] = {}

    def nest(self) -> LoopNest:
        stores = tuple(self._store(r) for r in self.regions)
        sizes = tuple(self.p.atoms.product(tuple(axis)) for axis in self.axes)
        return LoopNest(sizes=sizes, values=tuple(self.values), stores=stores).canonical()

    # axes

    def _tensors(self) -> list[dict[int, int]]:
        """Return the atom strides of every store and load of this nest, stores first."""
        found = [self.p.spread(self.p.dims[r.node], r.strides) for r in self.regions]
        for i in self._nodes():
            access = self.p.access[i]
            if access is not None:
                found.append(access[1])
        return found

    def _nodes(self) -> list[int]:
        seen: set[int] = set()
        stack = [r.node for r in self.regions]
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                stack.extend(self.p.operands(i))
        return sorted(seen)

    def _ordered(self, used: set[int]) -> list[int]:
        """Order atoms from the outermost, as the largest tensor lays them out; others are fitted in.

        An output comes first, unless only the inputs' innermost axis is reduced. Where windows or indices are walked,
        what only the loads know stands outside.
        """
        found = self._tensors()
        stores, loads = found[: len(self.regions)], found[len(self.regions) :]
        if any(i in self.p.indexed for i in self._nodes()):
            known = {a for t in stores for a in t}
            inner = self._fitted(sorted(stores, key=lambda t: -len(t)))
            outer = self._fitted([{a: s for a, s in t.items() if a not in known} for t in loads])
            return [*outer, *sorted(used - known - set(outer)), *inner]
        if loads and self._reduces(loads) and not self._reduces(stores):
            found = loads + stores
        order = self._fitted(sorted(found, key=lambda t: -len(t)))
        order += sorted(used - set(order))
        return order

    def _fitted(self, tensors: list[dict[int, int]]) -> list[int]:
        """Return the atoms of tensors, each tensor's in the order of its strides."""
        order: list[int] = []
        for strides in tensors:
            mine = sorted(strides, key=lambda a: -abs(strides[a]))
            previous = -1
            for atom in mine:
                if atom in order:
                    previous = max(previous, order.index(atom))
                else:
                    previous += 1
                    order.insert(previous, atom)
        return order

    def _reduces(self, tensors: list[dict[int, int]]) -> bool:
        """Return whether a reduction runs along the innermost axis of the largest of these tensors."""
        largest = max(tensors, key=len)
        inner = min(largest, key=lambda a: abs(largest[a]), default=None)
        return any(
            inner in self.p.over(self.p.nodes[i])
            for i in self._nodes() if self.p.nodes[i].op == "reduce"
        )  # fmt: skip

    def _merged(self, order: list[int]) -> list[list[int]]:
        tensors = self._tensors()
        tensors += [g.form[1] for i in self._nodes() if i in self.p.indexed for g in self.p.indexed[i].guards]
        sets = [
            self.p.over(self.p.nodes[i])
            for i in self._nodes()
            if self.p.nodes[i].op in ("reduce", "scan", "inv_count") or self.p.nodes[i].op in LIBRARY
        ]
        scattered = (i for i in self._nodes() if self.p.nodes[i].op in ("scatter_rows", "scatter_elements"))
        sets += [frozenset(self.p.dims[i][1]) for i in scattered]  # which no operand but the base may have
        store_sets = [frozenset(a for d in self.p.dims[r.node] for a in d) for r in self.regions]
        out: list[list[int]] = []
        for atom in order:
            if out and self._joins(out[-1], atom, tensors, sets + store_sets):
                out[-1].append(atom)
            else:
                out.append([atom])
        return out

    def _joins(
        self, outer: list[int], inner: int, tensors: list[dict[int, int]], sets: list[frozenset[int]]
    ) -> bool:
        last = outer[-1]
        for strides in tensors:
            if (last in strides) != (inner in strides):
                return False
            if last in strides and strides[last] != strides[inner] * self.p.atoms.size(inner):
                return False
        return all((last in s) == (inner in s) for s in sets)

    # values

    def _axes(self, atoms: frozenset[int]) -> tuple[int, ...]:
        return tuple(sorted({self.axis_of[a] for a in atoms}))

    def _to_access(self, access: AtomAccess, turn: int = 0) -> Access:
        """Give each axis the stride of its innermost atom."""
        strides: dict[int, int] = {}
        for k, axis in enumerate(self.axes):
            if axis[-1] in access[1]:
                strides[k] = access[1][axis[-1]]
        return Access(offset=access[0], strides=tuple(sorted(strides.items())), turn=turn)

    def _indexed(self, index: int, access: Access) -> Access:
        """Add the guards and indices of a load that has some."""
        load = self.p.indexed.get(index)
        if load is None:
            return access
        forms = [(self._to_access(g.form), g.limit) for g in load.guards]
        guards = tuple(Guard(offset=f.offset, strides=f.strides, limit=limit) for f, limit in forms)
        changes = {
            "places": load.places, "guards": guards, "scales": load.scales, "limits": load.limits,
            "window": load.window,
        }  # fmt: skip
        return access.model_copy(update=changes)

    def _value(self, index: int) -> int:
        """Return the nest's value for a node of the graph; explicit stack, graphs may be deep."""
        for i in self._below(index):
            if i not in self.done:
                self.done[i] = self._make(i)
        return self.done[index]

    def _below(self, index: int) -> list[int]:
        seen: set[int] = set()
        stack = [index]
        while stack:
            i = stack.pop()
            if i not in seen and i not in self.done:
                seen.add(i)
                stack.extend(self.p.operands(i))
        return sorted(seen)

    def _make(self, index: int) -> int:
        node = self.p.nodes[index]
        if node.op in ("reshape", "permute", "expand"):
            return self.done[node.args[0]]
        access = self.p.access[index]
        over: tuple[int, ...] = ()
        if node.op in ("reduce", "scan") or node.op in LIBRARY:
            over = self._axes(self.p.over(node))
            if node.op == "scan" and len(over) > 1:
                raise Unsupported("scan", f"a running {node.kind} along an axis that is cut is not covered")
        elif node.op == "inv_count":
            source = self.p.dims[node.args[0]]
            counted = frozenset(a for k in node.axes for a in source[k])
            if not counted <= self.axis_of.keys():  # it is counted in another phase
                count = self.p.atoms.product(tuple(counted))
                return self._add(Value(op="const", dtype=node.dtype, value=_one_over(count, node.value)))
            over = self._axes(counted)
            if not over:
                return self._add(Value(op="const", dtype=node.dtype, value=_one_over(1, node.value)))
        if node.op == "reduce":
            return self._reduce(node, over)
        if node.op == "mul":
            args = [self.done[a] for a in node.args]
            for one, other in ((args[0], args[1]), (args[1], args[0])):
                factor = self.values[one]
                unit = factor.op == "const" and factor.value == 1 and not factor.tag
                if unit and self.values[other].dtype == node.dtype:
                    return other
        value = Value(
            op=node.op,
            args=tuple(self.done[a] for a in self.p.operands(index)),
            dtype=node.dtype,
            deps=self._axes(self.p.deps[index]),
            origin=node.origin,
            access=None if access is None else self._indexed(index, self._to_access(access, node.turn)),
            value=node.fill if index in self.p.indexed and self.p.indexed[index].guards else node.value,
            step=node.step,
            fill=node.fill if node.op in LIBRARY else None,
            tag=node.tag if node.op == "const" or node.op in LIBRARY else 0,
            kind=node.kind,
            over=over,
            reverse=node.reverse,
            stored=node.stored,
            rounded=node.rounded,
        )
        return self._add(value)

    def _reduce(self, node: Node, over: tuple[int, ...]) -> int:
        """Reduce over the axes that the operand varies along; a sum counts the others."""
        arg = self.done[node.args[0]]
        deps = self.values[arg].deps
        inside = tuple(a for a in over if a in deps)
        missing = tuple(a for a in over if a not in deps)
        if inside:
            kept = tuple(a for a in deps if a not in inside)
            arg = self._add(
                Value(op="reduce", args=(arg,), dtype=node.dtype, deps=kept, kind=node.kind, over=inside)
            )
        if missing and node.kind == "sum":
            count = self._add(Value(op="count", dtype=node.dtype, over=missing))
            deps = self.values[arg].deps
            arg = self._add(Value(op="mul", args=(arg, count), dtype=node.dtype, deps=deps))
        if missing and node.kind == "prod":
            raise Unsupported(
                "prod", "a product over an axis that the value does not vary along is not covered"
            )
        return arg

    def _add(self, value: Value) -> int:
        if value not in self.known:
            self.known[value] = len(self.values)
            self.values.append(value)
        return self.known[value]

    def _store(self, region: Region) -> OutputStore:
        value = self._value(region.node)
        if self.values[value].op == f"round_{region.dtype}":
            value = self.values[value].args[0]  # the store rounds
        dims = self.p.dims[region.node]
        atoms = frozenset(a for d in dims for a in d)
        access = self._to_access((region.offset, self.p.spread(dims, region.strides)), region.turn)
        return OutputStore(
            value=value,
            output=region.output,
            temp=region.temp,
            count=None if region.temp is None else region.count,
            element=region.element,
            dtype=region.dtype,
            axes=self._axes(atoms),
            access=access,
            whole=self.p.atoms.product(tuple(atoms)) == (region.count or math.prod(region.shape)),
        )


def _one_over(count: int, less: float | int | bool | None) -> float:
    rest = count - (less or 0)
    return 1.0 / rest if rest else math.nan
