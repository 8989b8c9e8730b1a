"""Loads with indices: an index that is a sum of positions goes into the address, with a guard where it may leave it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from akgen.tools.compose.front.graph import Node

AtomAccess = tuple[int, dict[int, int]]  # offset, atom -> stride
Spread = Callable[[tuple[tuple[int, ...], ...], tuple[int, ...]], dict[int, int]]


@dataclass(frozen=True)
class AtomGuard:
    """A condition: 0 <= form < limit."""

    form: AtomAccess
    limit: int


@dataclass(frozen=True)
class IndexedLoad:
    """A load with indices: its address, the guards, and the other indices with their strides."""

    address: AtomAccess
    places: tuple[tuple[int, int], ...]
    guards: tuple[AtomGuard, ...]
    indices: tuple[int, ...]
    scales: tuple[int, ...]
    limits: tuple[int, ...]
    window: bool

    def deps(self, known: Sequence[frozenset[int]]) -> frozenset[int]:
        """Return the atoms that the load varies along besides those of its address, given those of its indices."""
        guarded = (frozenset(g.form[1]) for g in self.guards)
        return frozenset().union(*(known[i] for i in self.indices), *guarded)


class Forms:
    """Sums of positions among the values of a graph."""

    def __init__(
        self,
        nodes: tuple[Node, ...],
        dims: Sequence[tuple[tuple[int, ...], ...]],
        spread: Spread,
        size: Callable[[int], int],
    ) -> None:
        self.nodes, self.dims, self.spread, self.size = nodes, dims, spread, size
        self._known: dict[int, AtomAccess | None] = {}

    def of(self, index: int) -> AtomAccess | None:
        """Return a value as constant and multiples of positions, None if it is more than that."""
        if index not in self._known:
            self._known[index] = self._find(index)
        return self._known[index]

    def _find(self, index: int) -> AtomAccess | None:
        node = self.nodes[index]
        if node.op == "const":
            return (int(node.value or 0), {}) if node.value == int(node.value or 0) else None
        if node.op == "iota":
            first, step = node.value or 0, node.step or 0
            if first != int(first) or step != int(step):
                return None
            return int(first), self.spread(self.dims[index], (int(step),))
        if node.op not in ("reshape", "expand", "permute", "neg", "cast", "add", "sub", "mul"):
            return None
        found = [self.of(a) for a in node.args]
        forms = [f for f in found if f is not None]
        if len(forms) < len(found):
            return None
        match node.op:
            case "neg":
                return _scaled(forms[0], -1)
            case "add":
                return _sum(forms[0], forms[1])
            case "sub":
                return _sum(forms[0], _scaled(forms[1], -1))
            case "mul":
                (a, b) = forms
                if a[1] and b[1]:
                    return None
                return _scaled(a, b[0]) if not b[1] else _scaled(b, a[0])
        return forms[0]

    def load(self, index: int) -> IndexedLoad:
        """Return the parts of a load with indices."""
        node = self.nodes[index]
        assert node.strides is not None
        address: AtomAccess = (node.offset, {})
        places: list[tuple[int, int]] = []
        guards: list[AtomGuard] = []
        rest: list[tuple[int, int, int]] = []
        window = False
        for arg, stride, limit in zip(node.args, node.strides, node.limits, strict=True):
            form = self.of(arg)
            if form is None:
                rest.append((arg, stride, limit))
                continue
            address = _sum(address, _scaled(form, stride))
            if form[0] and stride:
                places.append((form[0], stride))
            window |= len([a for a in form[1] if self.size(a) > 1]) > 1
            low = form[0] + sum(min(0, s * (self.size(a) - 1)) for a, s in form[1].items())
            high = form[0] + sum(max(0, s * (self.size(a) - 1)) for a, s in form[1].items())
            if node.fill is not None and (low < 0 or high >= limit):
                guards.append(AtomGuard(form, limit))
        return IndexedLoad(
            address=address, places=tuple(places), guards=tuple(guards),
            indices=tuple(r[0] for r in rest), scales=tuple(r[1] for r in rest),
            limits=tuple(r[2] for r in rest), window=window,
        )  # fmt: skip


def _sum(a: AtomAccess, b: AtomAccess) -> AtomAccess:
    keys = dict.fromkeys([*a[1], *b[1]])
    total = {k: a[1].get(k, 0) + b[1].get(k, 0) for k in keys}
    return a[0] + b[0], {k: s for k, s in total.items() if s}


def _scaled(a: AtomAccess, by: int) -> AtomAccess:
    return a[0] * by, {k: s * by for k, s in a[1].items() if s * by}
