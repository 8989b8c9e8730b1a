"""Rows of several branches as one: each row computed with the weights of the branch that its mask chooses.

Branches are values of equal structure that differ in what they multiply and add: the experts of a mixture, the groups
of a grouped product. In place of one value for each of them stands one whose product takes, row by row, the matrix of
the row's own branch. Rows are taken in the order of their branches where that is not the order in which they lie.
"""

import math
from collections.abc import Sequence

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import Node, viewed
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
Olds = tuple[int, ...]  # a value of each branch, by numbers of the graph that is rewritten
Masks = Sequence[int | None]  # of each branch
_MANY = 4  # branches whose numbers are looked up in a table


class Differs(Exception):
    """The branches are not alike, or combine rows."""


class GroupedRows:
    """Builds values of all rows; rows are the points of the axes `lead`.

    `masks` are those of the branches in the new graph, one value for each row; a later branch has its rows even where
    an earlier one's mask holds. None: all rows that no other has.
    """

    order: int | None = None  # the place of each row, where they are not as they lie
    products: "GroupedRows | None" = None  # makes products, of rows in another order

    def __init__(
        self, b: GraphBuilder, nodes: Sequence[Node], new: dict[int, int], lead: tuple[int, ...], masks: Masks
    ) -> None:
        self.b, self.nodes, self.new, self.lead, self.masks = b, nodes, new, lead, masks
        self.count = math.prod(lead)
        told = self._told(masks)
        self.group = b.stored(self._numbered(masks)) if told is None else told
        self._places: dict[tuple[int, ...], int] = {}
        self._known: dict[tuple[Olds, tuple[int, ...], int], int] = {}
        self._has_product: dict[int, bool] = {}

    def sort(self) -> None:
        """Let products take rows in the order of their branches."""
        _, order = self.b.sorted(self.b.cast(self.group, F32), self.count, smallest=True)
        masks = [None if m is None else self.b.take(m, (order,)) for m in self.masks]
        self.products = GroupedRows(self.b, self.nodes, self.new, self.lead, masks)
        self.products.order = order
        self.products.group = self.b.stored(self.b.take(self.group, (order,)))

    def _numbered(self, masks: Masks) -> int:
        """Return the number of each row's branch."""
        group = self.b.full(0, I32, (self.count,))
        for k, mask in enumerate(masks):
            if mask is not None and k:
                group = self.b.where(mask, self.b.const(k, I32), group)
        return group

    def _told(self, masks: Masks) -> int | None:
        """Return the number that masks compare with 1, 2, … where the first branch has the other rows."""
        found = [None if m is None else _asked(self.b.nodes, m) for m in masks[1:]]
        numbers = {f[0] for f in found if f is not None}
        ks = [None if f is None else f[1] for f in found]
        if masks[0] is not None or len(numbers) != 1 or ks != list(range(1, len(masks))):
            return None
        (number,) = numbers
        return (
            self.b.reshape(number, (self.count,)) if _counts_fewer(self.b.nodes, number, len(masks)) else None
        )

    def _as_they_lie(self, x: int) -> int:
        """Return (rows, n) in the order in which rows lie."""
        assert self.order is not None
        _, back = self.b.sorted(self.b.cast(self.order, F32), self.count, smallest=True)
        return self._rows_of(x, back, self.b[x].shape[1:])

    # values with rows

    def lifted(self, olds: Olds, lead: tuple[int, ...], k: int) -> int:
        """Return (rows, …) for values whose first `k` axes are points of `lead`, in which 1 stands for any number."""
        key = (olds, lead, k)
        if key not in self._known:
            self._known[key] = self._lifted(olds, lead, k)
        return self._known[key]

    def _lifted(self, olds: Olds, lead: tuple[int, ...], k: int) -> int:
        nodes = [self.nodes[o] for o in olds]
        first = nodes[0]
        if len(set(olds)) == 1:
            return self._spread(self.new[olds[0]], lead, k)
        if any(_form(n) != _form(first) for n in nodes):
            if (added := self._added(olds)) is not None:
                update = {"args": tuple(self._operand(a, lead, k, len(first.shape)) for a in added)}
                return self.b.add(
                    first.model_copy(update=update | {"op": "add", "shape": (self.count, *first.shape[k:])})
                )
            picked = self._picked_or_whole(olds, lead, k)
            return self._chosen(olds, lead, k) if picked is None else picked
        rest = first.shape[k:]
        args = [tuple(n.args[j] for n in nodes) for j in range(len(first.args))]
        if first.pointwise:
            parts = tuple(self._operand(a, lead, k, len(first.shape)) for a in args)
            return self.b.add(first.model_copy(update={"args": parts, "shape": (self.count, *rest)}))
        match first.op:
            case "contract" if len(first.shape) == 2 and k == 1:
                return self._product(first, args, lead)
            case "reduce" | "scan" if min(first.axes) >= k:
                axes = tuple(a - k + 1 for a in first.axes)
                update = {
                    "args": (self.lifted(args[0], lead, k),),
                    "shape": (self.count, *rest),
                    "axes": axes,
                }
                return self.b.add(first.model_copy(update=update))
            case "permute" if first.axes[:k] == tuple(range(k)):
                return self.b.permute(
                    self.lifted(args[0], lead, k), (0, *(a - k + 1 for a in first.axes[k:]))
                )
            case "slice" if first.cut is not None and first.cut.axis >= k:
                cut = first.cut.model_copy(update={"axis": first.cut.axis - k + 1})
                cut_of = first.model_copy(update={"cut": cut, "shape": (self.count, *rest)})
                return self.b.add(cut_of.model_copy(update={"args": (self.lifted(args[0], lead, k),)}))
            case "reshape":
                return self.b.reshape(self._reshaped(args[0], lead, rest), (self.count, *rest))
            case "expand":
                source = self._operand(args[0], lead, k, len(first.shape))
                return self.b.expand(source, (self.count, *rest))
            case "take" if len(set(args[0])) == 1:
                indices = tuple(self._operand(a, lead, k, len(first.shape)) for a in args[1:])
                found = self.b.take(self.new[args[0][0]], indices, first.fill)
                return self.b.expand(found, (self.count, *rest))
        return self._chosen(olds, lead, k)

    def _added(self, olds: Olds) -> tuple[Olds, Olds] | None:
        """Return both sides of whole numbers that some branches add to one value, and others take as it is."""
        zero = next(
            (i for i, n in enumerate(self.nodes) if n.op == "const" and n.dtype == I32 and n.value == 0), None
        )
        sums = [self.nodes[o] for o in olds if self.nodes[o].op == "add" and self.nodes[o].dtype == I32]
        plain = {o for o in olds if self.nodes[o].op != "add"}
        if zero is None or not sums or len(plain) != 1 or any(n.args[0] not in plain for n in sums):
            return None
        right = tuple(zero if o in plain else self.nodes[o].args[1] for o in olds)
        return (plain.pop(),) * len(olds), right

    def _reshaped(self, olds: Olds, lead: tuple[int, ...], rest: tuple[int, ...]) -> int:
        """Return what is reshaped, if the points of `lead` stand in front there, too."""
        shape, points = self.nodes[olds[0]].shape, math.prod(lead)
        k = next((k for k in range(1, len(shape) + 1) if math.prod(shape[:k]) == points), None)
        if k is None or math.prod(shape[k:]) != math.prod(rest):
            raise Differs
        return self.lifted(olds, lead, k)

    def _operand(self, olds: Olds, lead: tuple[int, ...], k: int, rank: int) -> int:
        """Return an operand, as (rows, …) or without rows, of what has `k` axes of rows among `rank`."""
        shape = self.nodes[olds[0]].shape
        own = max(0, k - (rank - len(shape)))  # of the operand's axes
        if math.prod(shape[:own]) == 1:
            return self._without_rows(olds, own, rank - k)
        if own == len(lead) and all(d in (1, whole) for d, whole in zip(shape, self.lead, strict=False)):
            return self.lifted(olds, shape[:own], own)
        if own == 1 and shape[0] == math.prod(lead):
            return self.lifted(olds, lead, own)
        raise Differs

    def _without_rows(self, olds: Olds, k: int, width: int) -> int:
        """Return an operand that is one for all rows of a branch, without its first `k` axes of length 1.

        Where branches differ in it, it becomes (rows, …) with `width` axes behind the rows.
        """
        shape = self.nodes[olds[0]].shape[k:]
        known = {_known(self.nodes, o) for o in olds}
        if len(set(olds)) == 1 or (len(known) == 1 and None not in known):
            return self.b.reshape(self.new[olds[0]], shape)
        if len({self.nodes[o].shape for o in olds}) != 1:
            raise Differs
        if math.prod(shape) == 1 and len(olds) < _MANY:
            rows = self._chain([self.b.reshape(self.new[o], ()) for o in olds])
        else:
            table = self.b.reshape(self.stacked(olds), (len(olds), *shape))
            rows = self._rows_of(table, self.group, shape)
        return self.b.reshape(rows, (self.count, *[1] * (width - len(shape)), *shape))

    def _rows_of(self, table: int, index: int, rest: tuple[int, ...]) -> int:
        """Return the rows (n, …rest) of a table that an index picks."""
        rank = len(rest)
        at = self.b.reshape(index, (self.count, *[1] * rank))
        along = tuple(self.b.positions((self.count, *rest), a + 1) for a in range(rank))
        return self.b.expand(self.b.take(table, (at, *along)), (self.count, *rest))

    def _product(self, first: Node, args: Sequence[Olds], lead: tuple[int, ...]) -> int:
        assert first.stored is not None
        if self.products is not None:
            return self.products._as_they_lie(self.products._product(first, args, lead))
        left = self.lifted(args[0], lead, 1)
        if len(set(args[1])) == 1:
            return self.b.contract(left, self.new[args[1][0]], first.stored)
        return self.b.contract_groups(left, self.stacked(args[1]), self.group, first.stored)

    def _picked_or_whole(self, olds: Olds, lead: tuple[int, ...], k: int) -> int | None:
        """Return rows of one value where some branches pick rows of it and others take it as it is."""
        takes = [self.nodes[o] for o in olds if self.nodes[o].op == "take"]
        sources = {n.args[0] for n in takes} | {o for o in olds if self.nodes[o].op != "take"}
        if len(sources) != 1 or not takes or k != 1 or any(n.fill is not None for n in takes):
            return None
        (source,) = sources
        shape = self.nodes[source].shape
        if shape != takes[0].shape or math.prod(lead) != shape[0] or lead != self.lead:
            return None
        for j in range(1, len(shape)):  # along the others each takes all
            if any(not _counts(self.nodes, n.args[1 + j], j, len(shape)) for n in takes):
                return None
        at = self.b.reshape(self._spread(self.b.positions((self.count,), 0), lead, 1), (self.count,))
        values = []
        for o in olds:
            n = self.nodes[o]
            values.append(
                at
                if n.op != "take"
                else self.b.reshape(self._spread(self.new[n.args[1]], lead, 1), (self.count,))
            )
        return self._rows_of(self.new[source], self._chain(values), shape[1:])

    def _chosen(self, olds: Olds, lead: tuple[int, ...], k: int) -> int:
        """Return values that are not alike, each where its branch is; products are too much work for that."""
        if any(self.has_product(o) for o in olds):
            raise Differs
        return self._chain([self._spread(self.new[o], lead, k) for o in olds])

    def _chain(self, values: Sequence[int]) -> int:
        """Return the values of the branches, each where its mask holds."""
        result = values[0]
        for value, mask in zip(values[1:], self.masks[1:], strict=True):
            assert mask is not None
            own = self.b.reshape(mask, (self.count, *[1] * (len(self.b[value].shape) - 1)))
            result = self.b.where(own, value, result)
        return result

    def has_product(self, old: int) -> bool:
        """Return whether a value is computed from a product."""
        stack, seen = [old], set[int]()
        while stack:
            i = stack.pop()
            if i in seen or self._has_product.get(i) is False:
                continue
            seen.add(i)
            if self.nodes[i].op == "contract" or self._has_product.get(i):
                self._has_product[old] = True
                return True
            stack.extend(self.nodes[i].args)
        self._has_product.update(dict.fromkeys(seen, False))
        return False

    # places of rows

    def _spread(self, x: int, lead: tuple[int, ...], k: int) -> int:
        """Return (rows, …) of a value whose first `k` axes are points of `lead`."""
        rest = self.b[x].shape[k:]
        if self.order is None:
            wide = self.b.expand(self.b.reshape(x, (*lead, *rest)), (*self.lead, *rest))
            return self.b.reshape(wide, (self.count, *rest))
        points = math.prod(lead)
        source = self.b.reshape(x, (points, *rest))
        if points == 1:
            return self.b.expand(source, (self.count, *rest))
        return self._rows_of(source, self._place(lead), rest)

    def _place(self, lead: tuple[int, ...]) -> int:
        """Return which point of `lead` each row is."""
        assert self.order is not None
        if lead == self.lead:
            return self.order
        if lead not in self._places:
            place, inner = self.b.const(0, I32), self.count
            left = self.order
            for size, whole in zip(lead, self.lead, strict=True):
                inner //= whole
                at = self._divided(left, inner)
                left = self.b.binary(
                    "sub", left, self.b.binary("mul", at, self.b.const(inner, I32), I32), I32
                )
                if size != 1:
                    scaled = self.b.binary("mul", place, self.b.const(whole, I32), I32)
                    place = at if self.b.constant(place) == 0 else self.b.binary("add", scaled, at, I32)
            self._places[lead] = self.b.stored(place)
        return self._places[lead]

    def _divided(self, x: int, by: int) -> int:
        """Return an integer that is not negative, divided: exact below 2^22."""
        if by == 1:
            return x
        quotient = self.b.binary("div", self.b.cast(x, F32), self.b.const(float(by), F32), F32)
        return self.b.cast(self.b.unary("floor", quotient), I32)

    # values without rows

    def stacked(self, olds: Olds) -> int:
        """Return (branches, …): values of equal shape side by side; slices of one tensor as they lie in it."""
        nodes = [self.nodes[o] for o in olds]
        first = nodes[0]
        if first.op in ("reshape", "permute") and all(
            n.op == first.op and n.axes == first.axes for n in nodes
        ):
            below = tuple(n.args[0] for n in nodes)
            if len({self.nodes[o].shape for o in below}) == 1:
                inner = self.stacked(below)
                if first.op == "reshape":
                    return self.b.reshape(inner, (len(olds), *first.shape))
                return self.b.permute(inner, (0, *(a + 1 for a in first.axes)))
        whole = self._cuts_of_one(nodes)
        if whole is not None:
            return whole
        each = tuple(self.b.reshape(self.new[o], (1, *first.shape)) for o in olds)
        return self.b.cat(each, 0)

    def _cuts_of_one(self, nodes: Sequence[Node]) -> int | None:
        """Return slices of one value, one element of an axis each and evenly apart, side by side."""
        cuts = [n.cut for n in nodes if n.op == "slice" and n.cut is not None]
        if len(cuts) != len(nodes) or len({(n.args, c.axis) for n, c in zip(nodes, cuts, strict=True)}) != 1:
            return None
        axis, first, step = cuts[0].axis, cuts[0].start, cuts[1].start - cuts[0].start
        if (
            nodes[0].shape[axis] != 1
            or step < 1
            or any(c.start != first + k * step for k, c in enumerate(cuts))
        ):
            return None
        part = self.b.slice(self.new[nodes[0].args[0]], axis, first, len(nodes), step)
        rank = len(nodes[0].shape)
        turned = self.b.permute(part, (axis, *(a for a in range(rank) if a != axis)))
        return self.b.reshape(turned, (len(nodes), *nodes[0].shape))


def _form(node: Node) -> object:
    """Return what two values of equal structure have in common."""
    return (
        node.op, node.dtype, node.shape, node.kind, node.axes, node.stored, node.cut, node.value, node.fill,
        node.reverse, node.step, len(node.args), node.origin,
    )  # fmt: skip


def _constant(nodes: Sequence[Node], index: int) -> object:
    """Return the value of a constant, None of what is none."""
    node = nodes[viewed(nodes, index)]
    return node.value if node.op == "const" else None


def _known(nodes: Sequence[Node], index: int) -> object:
    """Return what makes a constant or a range what it is, None of other values."""
    node = nodes[_as_long(nodes, index)]
    if node.op == "iota":
        return node.value, node.step, nodes[index].shape
    return _constant(nodes, index)


def _asked(nodes: Sequence[Node], mask: int) -> tuple[int, object] | None:
    """Return the value, as long as the mask, and the number with which a mask compares it."""
    node = nodes[_as_long(nodes, mask)]
    if node.op != "eq":
        return None
    value = _as_long(nodes, node.args[0])
    return (
        (value, _constant(nodes, node.args[1]))
        if math.prod(nodes[value].shape) == math.prod(node.shape)
        else None
    )


def _counts_fewer(nodes: Sequence[Node], index: int, most: int) -> bool:
    """Return whether a whole number says how many of fewer than `most` truths hold."""
    node = nodes[index]
    if node.op == "cast":
        return nodes[node.args[0]].dtype == BOOL or (
            node.dtype == I32 and _counts_fewer(nodes, node.args[0], most)
        )
    (summed,) = node.args if node.op == "reduce" and node.kind == "sum" else (index,)
    terms = math.prod(nodes[summed].shape) // math.prod(node.shape)
    return summed != index and terms < most and _counts_fewer(nodes, summed, 2)


def _as_long(nodes: Sequence[Node], index: int) -> int:
    """Return what a value is a view of that has the same elements in the same order."""
    while nodes[index].op in ("reshape", "expand") and math.prod(
        nodes[nodes[index].args[0]].shape
    ) == math.prod(nodes[index].shape):
        (index,) = nodes[index].args
    return index


def _counts(nodes: Sequence[Node], index: int, axis: int, rank: int) -> bool:
    """Return whether an index is the place along an axis."""
    shape = nodes[index].shape
    if len(shape) != rank or math.prod(shape) != shape[axis]:
        return False
    while nodes[index].op == "reshape":
        (index,) = nodes[index].args
    return nodes[index].op == "iota" and nodes[index].value == 0 and nodes[index].step == 1
