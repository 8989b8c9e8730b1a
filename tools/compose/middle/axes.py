"""Find the axes of a graph: dimensions that the operators tie together become one axis; views disappear.

Every dimension longer than 1 starts as an atom of its own. Pointwise operators unify the atoms of their operands,
reshapes split them. What is left at the end are the axes of the loop nest. Not covered: values in which an axis
meets itself (x + x.T), reshapes that mix factors (4x6 to 3x8).
"""

from collections.abc import Callable

from akgen.tools.compose.front.graph import Node, contiguous
from akgen.tools.compose.middle.index_forms import AtomAccess, Forms
from akgen.tools.compose.scope import Unsupported

Dims = tuple[tuple[int, ...], ...]  # per dimension its atoms, outermost first


class Atoms:
    """A union-find of axis atoms in which an atom may be split into factors."""

    def __init__(self) -> None:
        self._size: list[int] = []
        self._next: list[tuple[int, ...] | None] = []  # what an atom was replaced by

    def new(self, size: int) -> int:
        self._size.append(size)
        self._next.append(None)
        return len(self._size) - 1

    def size(self, atom: int) -> int:
        return self._size[atom]

    def product(self, atoms: tuple[int, ...]) -> int:
        n = 1
        for a in atoms:
            n *= self._size[a]
        return n

    def resolve(self, atoms: tuple[int, ...]) -> tuple[int, ...]:
        """Return the current atoms that these stand for."""
        out: list[int] = []
        for a in atoms:
            follow = self._next[a]
            if follow is None:
                out.append(a)
            else:
                resolved = self.resolve(follow)
                self._next[a] = resolved
                out.extend(resolved)
        return tuple(out)

    def split(self, atom: int, inner: int) -> tuple[int, int]:
        """Replace an atom by (outer, inner) factors."""
        parts = (self.new(self._size[atom] // inner), self.new(inner))
        self._next[atom] = parts
        return parts

    def unify(self, a: tuple[int, ...], b: tuple[int, ...], what: str) -> tuple[int, ...]:
        """Make two lists of atoms the same; both have the same product."""
        left, right = list(self.resolve(a)), list(self.resolve(b))
        out: list[int] = []
        while left and right:
            p, q = left.pop(), right.pop()
            sp, sq = self._size[p], self._size[q]
            if sp != sq:
                if sp < sq:
                    p, q, left, right, sp, sq = q, p, right, left, sq, sp
                if sp % sq:
                    raise Unsupported(what, f"{what}: axes of {sp} and {sq} elements overlap in part")
                outer, p = self.split(p, sq)
                left.append(outer)
                left, right = list(self.resolve(tuple(left))), list(self.resolve(tuple(right)))
                p = self.resolve((p,))[0]
                q = self.resolve((q,))[0]
            if p != q:
                self._next[q] = (p,)
                left, right = list(self.resolve(tuple(left))), list(self.resolve(tuple(right)))
            out.append(p)
        return self.resolve(tuple(reversed(out)))


LIBRARY: dict[str, Callable[[Node, list[Dims], Atoms], Dims]] = {}
"""Operations that are never fused: by name, the rule that returns the axes of the result from those of the operands.

Their operands are tensors in memory and so are their results: the partition (middle/phases.py) makes a phase of each.
To add one (a contraction, a scan, a sort):

1. The front end makes `Node(op=NAME, args, dtype, shape, axes, kind, value …)`; several results are several nodes with
   the same operands. `axes` are axes of the first operand; they become `over` of the nest's value.
2. A rule is registered here. It ties axes of operands that run together with `atoms.unify`; new axes are `atoms.new`.
3. The nest has one value `Value(op=NAME, args, deps, over, kind)` per result, over loads, and its stores. A schedule of
   back/schedules/ is registered for the operation in `OPERATIONS`; it writes the nest and has a `Part` like any other.
"""


def find_dims(nodes: tuple[Node, ...], atoms: Atoms) -> list[Dims]:
    """Return the atoms of every dimension of every node; dimensions of length 1 have none."""
    dims: list[Dims] = []
    for node in nodes:
        dims.append(_dims(node, dims, atoms))
    return dims


def _dims(node: Node, dims: list[Dims], atoms: Atoms) -> Dims:
    if node.op == "load" and node.args:
        return _pointwise(node, [dims[a] for a in node.args], atoms)
    if node.op in ("load", "iota"):
        return tuple((atoms.new(d),) if d != 1 else () for d in node.shape)
    if node.op in ("const", "inv_count"):
        return ()
    if node.op == "reduce":
        return tuple(() if i in node.axes else d for i, d in enumerate(dims[node.args[0]]))
    if node.op == "scan":
        return dims[node.args[0]]
    if node.op == "permute":
        return tuple(dims[node.args[0]][i] for i in node.axes)
    if node.op == "reshape":
        return _reshape(dims[node.args[0]], node.shape, atoms)
    if node.op == "expand":
        source = dims[node.args[0]]
        pad = len(node.shape) - len(source)
        return tuple(
            source[i - pad] if i >= pad and source[i - pad] else ((atoms.new(d),) if d != 1 else ())
            for i, d in enumerate(node.shape)
        )
    if node.pointwise:
        return _pointwise(node, [dims[a] for a in node.args], atoms)
    if node.op in LIBRARY:
        return LIBRARY[node.op](node, [dims[a] for a in node.args], atoms)
    raise Unsupported(node.op, f"{node.op} in this place is not covered")


def _pointwise(node: Node, operands: list[Dims], atoms: Atoms) -> Dims:
    out: list[tuple[int, ...]] = []
    for i in range(len(node.shape)):
        merged: tuple[int, ...] = ()
        for operand in operands:
            inner = i - (len(node.shape) - len(operand))
            if inner >= 0 and operand[inner]:
                merged = operand[inner] if not merged else atoms.unify(merged, operand[inner], node.op)
        out.append(merged)
    return tuple(out)


def _contract(_: Node, operands: list[Dims], atoms: Atoms) -> Dims:
    """Tie the contracted axis of (…, m, k) and (…, k, n), and the axes before."""
    left, right = operands
    if left[-1] and right[-2]:
        atoms.unify(left[-1], right[-2], "contract")
    out: list[tuple[int, ...]] = []
    for a, b in zip(left[:-2], right[:-2], strict=True):
        out.append(atoms.unify(a, b, "contract") if a and b else a or b)
    return (*out, left[-2], right[-1])


LIBRARY["contract"] = _contract


def _contract_groups(_: Node, operands: list[Dims], atoms: Atoms) -> Dims:
    """Tie the contracted axis of (m, k) and (g, k, n), and the rows with their numbers (m,)."""
    left, right, group = operands
    if left[1] and right[1]:
        atoms.unify(left[1], right[1], "contract")
    rows = atoms.unify(left[0], group[0], "contract") if left[0] and group[0] else left[0] or group[0]
    return rows, right[2]


LIBRARY["contract_groups"] = _contract_groups


def _sorted(node: Node, operands: list[Dims], atoms: Atoms) -> Dims:
    """Keep the axes of rows; the results of a row run along an axis of their own."""
    count = node.shape[-1]
    return (*operands[0][:-1], (atoms.new(count),) if count != 1 else ())


LIBRARY["sort_values"] = LIBRARY["sort_places"] = _sorted


def _scattered(node: Node, operands: list[Dims], atoms: Atoms) -> Dims:
    """Tie what is scattered to its indices, and to what it is scattered into along the other axes."""
    index, *others = operands
    source = others.pop(0) if node.value is None else None
    base = others.pop(0) if node.fill is None else None

    def tied(*dims: tuple[int, ...]) -> tuple[int, ...]:
        found: tuple[int, ...] = ()
        for d in dims:
            found = atoms.unify(found, d, "scatter") if found and d else found or d
        return found

    def new(axis: int) -> tuple[int, ...]:
        return (atoms.new(node.shape[axis]),) if node.shape[axis] != 1 else ()

    if node.op == "scatter_elements":
        outer = tied(index[0], *(d[0] for d in (source, base) if d is not None))
        tied(index[1], *(d[1] for d in (source,) if d is not None))
        return outer, new(1) if base is None else base[1]
    tied(index[0], *(d[1] for d in (source,) if d is not None))
    outer, inner = (tied(*(d[k] for d in (source, base) if d is not None)) for k in (0, 2))
    return outer or new(0), new(1) if base is None else base[1], inner or new(2)


LIBRARY["scatter_rows"] = LIBRARY["scatter_elements"] = _scattered


def _reshape(source: Dims, shape: tuple[int, ...], atoms: Atoms) -> Dims:
    queue = list(atoms.resolve(tuple(a for d in source for a in d)))
    out: list[tuple[int, ...]] = []
    for d in reversed(shape):
        taken: list[int] = []
        need = d
        while need > 1:
            if not queue:
                raise Unsupported("reshape", "a reshape does not keep the number of elements")
            atom = queue.pop()
            size = atoms.size(atom)
            if size > need:
                if size % need:
                    raise Unsupported("reshape", "a reshape mixes the factors of its axes")
                outer, atom = atoms.split(atom, need)
                queue.append(outer)
                size = need
            if need % size:
                raise Unsupported("reshape", "a reshape mixes the factors of its axes")
            taken.append(atom)
            need //= size
        out.append(tuple(reversed(taken)))
    return tuple(reversed(out))


def tie_lookups(nodes: tuple[Node, ...], dims: list[Dims], atoms: Atoms, stored: set[int]) -> bool:
    """Let a reduction that no output shares run through another axis of its length, where they never meet.

    Looking up one class per row and summing over classes then take one pass over the same columns. What is computed
    from nothing in common stays apart: one nest of both would run through every pair of their rows.
    """
    common = _connected(nodes, dims)
    flat = [frozenset(a for d in node for a in d) for node in dims]
    reduced = {a for node in nodes if node.op == "reduce" for i in node.axes for a in dims[node.args[0]][i]}
    tied = False
    known = {a for f in flat for a in f}
    for atom in sorted(reduced - stored):
        for other in sorted(known - {atom}):
            if atoms.resolve((atom,)) != (atom,) or atoms.resolve((other,)) != (other,):
                continue
            apart = not any(other in f for f in flat if atom in f)
            first = other < atom or other not in reduced - stored
            near = common[atom] == common[other]
            if first and apart and near and atoms.size(atom) == atoms.size(other):
                atoms.unify((other,), (atom,), "lookup")
                flat = [frozenset(other if a == atom else a for a in f) for f in flat]
                tied = True
                break
    return tied


def _connected(nodes: tuple[Node, ...], dims: list[Dims]) -> dict[int, int]:
    """Return, for each atom, a number that those have in common whose values are computed from one another."""
    leader = list(range(len(nodes)))

    def lead(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    first: dict[int, int] = {}
    for i, node in enumerate(nodes):
        if node.op not in ("const", "inv_count"):
            linked = [a for a in node.args if nodes[a].op not in ("const", "inv_count")]
            linked += [first.setdefault(atom, i) for d in dims[i] for atom in d]
            for j in linked:
                leader[lead(j)] = lead(i)
    return {atom: lead(i) for atom, i in first.items()}


class Accesses:
    """Where every load reads, and along which atoms every value varies."""

    def __init__(self, nodes: tuple[Node, ...], dims: list[Dims], atoms: Atoms) -> None:
        self.nodes, self.dims, self.atoms = nodes, dims, atoms
        self.forms = Forms(nodes, dims, self.spread, atoms.size)
        self.indexed = {i: self.forms.load(i) for i, n in enumerate(nodes) if n.op == "load" and n.args}
        self.access = [self._access(i) for i in range(len(nodes))]
        self.deps = self._deps()

    def _access(self, index: int) -> AtomAccess | None:
        """Return the address of a load (or the position of an iota) in terms of atoms."""
        node = self.nodes[index]
        if node.op not in ("load", "iota"):
            return None
        if node.args:
            return self.indexed[index].address
        strides = node.strides or contiguous(node.shape)
        return node.offset, self.spread(self.dims[index], strides)

    def spread(self, dims: Dims, strides: tuple[int, ...]) -> dict[int, int]:
        """Give every atom of every dimension its stride; atoms with stride 0 are left out."""
        out: dict[int, int] = {}
        for atoms, stride in zip(dims, strides, strict=True):
            step = stride
            for atom in reversed(atoms):
                if step:
                    out[atom] = step
                step *= self.atoms.size(atom)
        return out

    def _deps(self) -> list[frozenset[int]]:
        deps: list[frozenset[int]] = []
        for i, node in enumerate(self.nodes):
            access = self.access[i]
            if access is not None:
                more = self.indexed[i].deps(deps) if i in self.indexed else frozenset()
                deps.append(frozenset(access[1]) | more)
            elif node.op == "reduce":
                deps.append(deps[node.args[0]] - self.over(node))
            elif node.op == "scan":
                deps.append(deps[node.args[0]] | self.over(node))
            elif node.op == "inv_count":
                deps.append(frozenset())
            elif node.op in LIBRARY:
                deps.append(frozenset(a for d in self.dims[i] for a in d))
            else:
                deps.append(frozenset().union(*(deps[a] for a in node.args)))
        return deps

    def over(self, node: Node) -> frozenset[int]:
        source = self.dims[node.args[0]]
        return frozenset(a for i in node.axes for a in source[i])

    def used(self, node: int) -> set[int]:
        """Return the atoms over which loops run to compute a value."""
        seen: set[int] = set()
        stack = [node]
        used: set[int] = set()
        while stack:
            i = stack.pop()
            if i in seen:
                continue
            seen.add(i)
            used |= self.deps[i]
            if self.nodes[i].op == "reduce" or self.nodes[i].op in LIBRARY:
                used |= self.over(self.nodes[i])
            stack.extend(self.operands(i))
        return used

    def operands(self, node: int) -> tuple[int, ...]:
        """Return the values that the loops compute for a value: of a load, its indices but sums of positions."""
        if node in self.indexed:
            return self.indexed[node].indices
        return () if self.nodes[node].op == "inv_count" else self.nodes[node].args
