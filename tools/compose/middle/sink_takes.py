"""Push element-wise picks down to the tensors they pick from, and say which indices are sums of positions."""

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import Node, Number, broadcast, contiguous
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL


class TakeSinker:
    """Rebuilds picks as loads with indices, through whatever lies between."""

    def __init__(self, builder: GraphBuilder) -> None:
        self.b = builder

    def sunk(self, x: int, indices: tuple[int, ...], fill: Number | None) -> int:
        """Return x[indices]; `fill` where an index lies outside, None if none does."""
        node = self.b[x]
        if fill is not None and not self._guards(node):
            return self._masked(x, indices, fill, tuple(range(len(indices))))
        if fill is not None:
            loose = tuple(
                k for k, i in enumerate(indices) if not (self.affine(i) or self._clamped(i, node.shape[k]))
            )
            if loose:
                return self._masked(x, indices, fill, loose)
        shape = broadcast(*(self.b[i].shape for i in indices)) if indices else node.shape
        match node.op:
            case "load" if node.args:
                return self._again(node, indices)
            case "load":
                strides = node.strides or contiguous(node.shape)
                changes = {
                    "args": indices, "shape": shape, "strides": strides, "limits": node.shape, "fill": fill,
                }  # fmt: skip
                return self.b.add(node.model_copy(update=changes))
            case "const":
                return self.b.expand(x, shape)
            case "iota":
                assert node.value is not None and node.step is not None
                place = self.b.cast(indices[0], node.dtype)
                scaled = self.b.binary("mul", place, self.b.const(node.step, node.dtype), node.dtype)
                return self.b.binary("add", scaled, self.b.const(node.value, node.dtype), node.dtype)
            case "expand":
                return self._spread(
                    self.sunk(node.args[0], self._of(node, node.args[0], indices), None), shape
                )
            case "permute":
                inner = tuple(indices[node.axes.index(k)] for k in range(len(indices)))
                return self.sunk(node.args[0], inner, None)
            case "cat":
                return self._joined(node, indices)
            case "reshape" if (source := self._reshaped(node, indices)) is not None:
                return self._spread(self.sunk(node.args[0], source, None), shape)
        if node.pointwise:
            args = tuple(self.sunk(a, self._of(node, a, indices), None) for a in node.args)
            return self._spread(self._again_of(node, args), shape)
        raise Unsupported(node.op, f"elements picked of what {node.op} computes are not covered")

    def _reshaped(self, node: Node, indices: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the indices of what is reshaped, None where axes of it have become one: these would be divided."""
        shape = self.b[node.args[0]].shape
        inner: list[int] = []
        axis = 0
        for count in shape:
            place, left = self.b.const(0, I32), count
            while left > 1:
                while axis < len(node.shape) and node.shape[axis] == 1:
                    axis += 1
                if axis == len(node.shape) or left % node.shape[axis]:
                    return None
                left //= node.shape[axis]
                step = self.b.const(left, I32)
                scaled = indices[axis] if left == 1 else self.b.binary("mul", indices[axis], step, I32)
                place = self.b.binary("add", place, scaled, I32)
                axis += 1
            inner.append(place)
        return tuple(inner)

    def _guards(self, node: Node) -> bool:
        """Return whether a load of this value can leave out what lies outside."""
        return node.op == "load" and not node.args

    def _of(self, node: Node, operand: int, indices: tuple[int, ...]) -> tuple[int, ...]:
        """Return the indices of an operand that broadcasts to `node`."""
        shape = self.b[operand].shape
        skipped = len(node.shape) - len(shape)
        zero = self.b.const(0, I32)
        return tuple(
            zero if d == 1 and node.shape[skipped + k] != 1 else indices[skipped + k]
            for k, d in enumerate(shape)
        )

    def _spread(self, x: int, shape: tuple[int, ...]) -> int:
        return self.b.expand(x, shape) if self.b[x].shape != shape else x

    def _again(self, node: Node, indices: tuple[int, ...]) -> int:
        """Pick from what was picked: the inner indices are picked from in turn."""
        args = tuple(self.sunk(a, self._of(node, a, indices), None) for a in node.args)
        shape = broadcast(*(self.b[i].shape for i in indices))
        if node.fill is not None and not all(self.affine(a) for a in args):
            source = self.b.add(
                node.model_copy(update={"args": (), "shape": node.limits, "limits": (), "fill": None})
            )
            return self._spread(self.sunk(source, args, node.fill), shape)
        return self._spread(self._again_of(node, args), shape)

    def _again_of(self, node: Node, args: tuple[int, ...]) -> int:
        """Return the same operation on other operands."""
        shape = broadcast(*(self.b[a].shape for a in args))
        return self.b.add(node.model_copy(update={"args": args, "shape": shape}))

    def _masked(self, x: int, indices: tuple[int, ...], fill: Number, which: tuple[int, ...]) -> int:
        """Test the indices of some dimensions in the nest; guards of loads see to the others."""
        node = self.b[x]
        inside: int | None = None
        safe = list(indices)
        which = tuple(k for k in which if not self._within(indices[k], node.shape[k]))
        direct = not self._guards(node)
        for k in which:
            last = node.shape[k] - 1
            at = self.b.cast(indices[k], F32)
            tests = [
                self.b.binary("ge", at, self.b.const(0.0, F32), BOOL),
                self.b.binary("le", at, self.b.const(float(last), F32), BOOL),
            ]
            for test in tests:
                inside = test if inside is None else self.b.binary("and", inside, test, BOOL)
            if not (direct and self.affine(indices[k])):
                low = self.b.binary("max", indices[k], self.b.const(0, I32), I32)
                safe[k] = self.b.binary("min", low, self.b.const(last, I32), I32)
        if inside is None:
            return self.sunk(x, indices, None)
        rest: Number | None = 0 if node.dtype != BOOL else False
        value = self._inner(x, tuple(safe), rest) if direct else self.sunk(x, tuple(safe), fill)
        return self.b.where(inside, value, self.b.const(fill, node.dtype))

    def _inner(self, x: int, indices: tuple[int, ...], fill: Number | None) -> int:
        """Pick where what lies outside may be anything: loads below leave it out, the rest is computed from that."""
        node = self.b[x]
        if node.op == "load" and not node.args:
            return self.sunk(x, indices, fill)
        shape = broadcast(*(self.b[i].shape for i in indices))
        if node.pointwise or node.op == "expand":
            zero: dict[int, Number] = {a: 0 if self.b[a].dtype != BOOL else False for a in node.args}
            args = tuple(self._inner(a, self._of(node, a, indices), zero[a]) for a in node.args)
            if node.op == "expand":
                return self._spread(args[0], shape)
            return self._spread(self._again_of(node, args), shape)
        if node.op == "permute":
            return self._inner(
                node.args[0], tuple(indices[node.axes.index(k)] for k in range(len(indices))), fill
            )
        if node.op in ("const", "iota"):
            return self.sunk(x, indices, None)
        clamped = []
        for k, i in enumerate(indices):
            low = self.b.binary("max", i, self.b.const(0, I32), I32)
            clamped.append(self.b.binary("min", low, self.b.const(node.shape[k] - 1, I32), I32))
        return self.sunk(x, tuple(clamped), None)

    def _joined(self, node: Node, indices: tuple[int, ...]) -> int:
        """Pick from joined pieces: from each, chosen by where the index lies."""
        axis = node.axes[0]
        at = indices[axis]
        found: int | None = None
        end = 0
        for a in node.args:
            start, end = end, end + self.b[a].shape[axis]
            moved = self.b.binary("sub", at, self.b.const(start, I32), I32)
            mine = (*indices[:axis], moved, *indices[axis + 1 :])
            part = self._inner(a, mine, 0 if node.dtype != BOOL else False)
            part = self.b.cast(part, node.dtype)
            if found is None:
                found = part
            else:
                before = self.b.binary("lt", self.b.cast(at, F32), self.b.const(float(start), F32), BOOL)
                found = self.b.where(before, found, part)
        assert found is not None
        return found

    # indices

    def _within(self, index: int, count: int) -> bool:
        """Return whether a value is a sum of positions that stays in [0, count)."""
        reach = self._reach(index) if self.affine(index) else None
        return reach is not None and reach[0] >= 0 and reach[1] < count

    def _clamped(self, index: int, count: int) -> bool:
        """Return whether a value is what `_masked` makes of an index: within [0, count)."""
        node = self.b[index]
        if node.op != "min" or self.b.constant(node.args[1]) != count - 1:
            return False
        inner = self.b[node.args[0]]
        return inner.op == "max" and self.b.constant(inner.args[1]) == 0

    def _reach(self, index: int) -> tuple[float, float]:
        """Return the least and the greatest value of a sum of positions."""
        node = self.b[index]
        constant = self.b.constant(index)
        if constant is not None:
            return constant, constant
        if node.op == "iota":
            first, step = node.value or 0, node.step or 0
            ends = (first, first + step * (node.shape[0] - 1))
            return min(ends), max(ends)
        reaches = [self._reach(a) for a in node.args]
        (low, high) = reaches[0]
        match node.op:
            case "neg":
                return -high, -low
            case "add":
                return low + reaches[1][0], high + reaches[1][1]
            case "sub":
                return low - reaches[1][1], high - reaches[1][0]
            case "mul":
                products = [a * b for a in reaches[0] for b in reaches[1]]
                return min(products), max(products)
        return low, high

    def affine(self, index: int) -> bool:
        """Return whether a value is a sum of multiples of positions and a constant."""
        node = self.b[index]
        match node.op:
            case "const" | "iota":
                return True
            case "reshape" | "expand" | "permute" | "neg":
                return self.affine(node.args[0])
            case "cast":
                whole = not self.b[node.args[0]].dtype.is_float or self.b[node.args[0]].op in (
                    "iota",
                    "const",
                )
                return whole and node.dtype != BOOL and self.affine(node.args[0])
            case "add" | "sub":
                return all(self.affine(a) for a in node.args)
            case "mul":
                constant = any(self.b.constant(a) is not None for a in node.args)
                return constant and all(self.affine(a) for a in node.args)
        return False
