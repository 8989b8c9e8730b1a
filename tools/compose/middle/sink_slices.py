"""Push slices down to the tensors they cut, and split outputs that are joined of pieces.

Afterwards the only views are reshape, permute and expand, and every output is a list of regions without `cat`.
"""

import math
from itertools import pairwise

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import (
    CONTRACTIONS,
    VIEWS,
    Graph,
    Node,
    contiguous,
    surviving_axis,
    view_strides,
    viewed,
)
from akgen.tools.compose.middle.sink_takes import TakeSinker
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

# Values shifted against themselves step by step come in ever more pieces: phases between the steps are cheaper.
_PIECES, _PIECES_A_NODE = 200, 4


class Region(Frozen):
    """A part of an output: a value and where its elements go (strides in elements of the output)."""

    node: int
    output: int | None = None
    temp: int | None = None
    element: int | None
    dtype: DType
    strides: tuple[int, ...]
    offset: int
    turn: int = 0
    shape: tuple[int, ...]  # of the whole output
    count: int | None = None  # elements of a workspace tensor, where it is known


class SunkGraph(Frozen):
    nodes: tuple[Node, ...]
    regions: tuple[Region, ...]


def sink_slices(graph: Graph) -> SunkGraph:
    """Return an equivalent graph whose slices lie in the strides of loads and in the regions of outputs."""
    pusher = _Sinker(graph)
    regions: list[Region] = []
    for out in graph.outputs:
        value = pusher.value(out.node)
        shape = pusher.b[value].shape
        whole = Region(
            node=value, output=out.output, temp=out.temp, element=out.element, dtype=out.dtype,
            strides=contiguous(shape), offset=out.offset, turn=out.turn, shape=shape,
            count=out.count if out.part else math.prod(shape),
        )  # fmt: skip
        regions += pusher.split(whole)
    return SunkGraph(nodes=tuple(pusher.b.nodes), regions=tuple(regions))


class _Sinker:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.b = GraphBuilder(apart=graph.apart, first=1_000_000)
        self._most = _PIECES_A_NODE * len(graph.nodes) + _PIECES
        self._done: dict[int, int] = {}
        self.takes = TakeSinker(self.b)
        self._cuts: dict[tuple[int, int, int, int, int], int] | None = None  # while one slice is pushed down
        self._joints: dict[int, tuple[int, tuple[int, ...]] | None] = {}

    def value(self, index: int) -> int:
        """Return the new graph's value for an old node."""
        if index not in self._done:
            for i in self._needs(index):
                if i not in self._done:
                    self._done[i] = self._rebuild(self._graph.nodes[i])
        return self._done[index]

    def _needs(self, index: int) -> list[int]:
        seen: set[int] = set()
        stack = [index]
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                stack.extend(self._graph.nodes[i].args)
        return sorted(seen)

    def _rebuild(self, node: Node) -> int:
        args = tuple(self._done[a] for a in node.args)
        if node.op == "slice":
            cut = node.cut
            assert cut is not None
            return self.slice(args[0], cut.axis, cut.start, node.shape[cut.axis], cut.step)
        if node.op == "reshape":
            return self._plain_reshape(args[0], node.shape)
        if node.op == "take":
            return self.takes.sunk(args[0], args[1:], node.fill)
        if node.op == "permute":
            return self._permute(args[0], node.axes)
        if node.op in CONTRACTIONS and viewed(self.b.nodes, args[0]) == viewed(self.b.nodes, args[1]):
            args = (args[0], self._apart(args[1]), *args[2:])
        return self.b.add(node.model_copy(update={"args": args}))

    def _apart(self, x: int) -> int:
        """Return the same view of a second load of the tensor, whose axes are its own: a matrix times itself."""
        node = self.b[x]
        if node.op == "load":
            return self.b.add(node.model_copy(update={"tag": 1}))
        if node.op in VIEWS:
            return self.b.add(node.model_copy(update={"args": (self._apart(node.args[0]),)}))
        return x

    def _permute(self, x: int, order: tuple[int, ...]) -> int:
        """Return `x` with its axes in another order. Below an expansion each use has axes of its own."""
        source = self.b[x]
        shape = tuple(source.shape[i] for i in order)
        if source.op == "load" and not source.args:
            strides = source.strides or contiguous(source.shape)
            return self.b.strided(source, shape, tuple(strides[i] for i in order), source.offset)
        if source.op == "expand":
            inner = self.b[source.args[0]].shape
            wide = self._plain_reshape(source.args[0], (*[1] * (len(order) - len(inner)), *inner))
            return self.b.expand(self._permute(wide, order), shape)
        return self.b.permute(x, order)

    def _plain_reshape(self, x: int, shape: tuple[int, ...]) -> int:
        source = self.b[x]
        if source.op == "load" and source.strides is None and not source.args:
            return self.b.strided(source, shape, contiguous(shape), 0)
        if source.op == "iota":  # each use of a range may run along another axis
            assert source.value is not None and source.step is not None
            fresh = self.b.iota(source.shape[0], source.value, source.step, source.dtype)
            return self.b.reshape(fresh, shape)
        return self.b.reshape(x, shape)

    # slices

    def slice(self, x: int, axis: int, start: int, count: int, step: int = 1) -> int:
        """Return elements start, start + step, … of an axis of `x`, with the cut pushed to the leaves.

        What several values below it have in common is cut once: each cut of the same elements is one value.
        """
        if start == 0 and step == 1 and count == self.b[x].shape[axis]:
            return x
        known, cut = self._cuts, (x, axis, start, count, step)
        if known is not None:
            if cut not in known:
                known[cut] = self._sliced(*cut)
            return known[cut]
        self._cuts = {}
        try:
            return self._sliced(*cut)
        finally:
            self._cuts = None

    def _sliced(self, x: int, axis: int, start: int, count: int, step: int) -> int:
        if len(self.b.nodes) > self._most:
            raise Unsupported("slice", "slices of what is sliced and joined again and again are not covered")
        node = self.b[x]
        shape = tuple(count if i == axis else d for i, d in enumerate(node.shape))
        match node.op:
            case "load" if node.args:
                args = tuple(self._slice_operand(a, node, axis, start, count, step) for a in node.args)
                return self.b.add(node.model_copy(update={"args": args, "shape": shape}))
            case "load":
                strides = node.strides or contiguous(node.shape)
                moved = tuple(s * step if i == axis else s for i, s in enumerate(strides))
                return self.b.strided(node, shape, moved, node.offset + start * strides[axis])
            case "iota":
                assert node.value is not None and node.step is not None
                return self.b.iota(count, node.value + start * node.step, node.step * step, node.dtype)
            case "expand":
                source = self.b[node.args[0]]
                inner = axis - (len(node.shape) - len(source.shape))
                if inner < 0 or source.shape[inner] == 1:
                    return self.b.expand(node.args[0], shape)
                return self.b.expand(self.slice(node.args[0], inner, start, count, step), shape)
            case "permute":
                return self.b.permute(
                    self.slice(node.args[0], node.axes[axis], start, count, step), node.axes
                )
            case "reduce":
                if axis in node.axes:
                    return x
                arg = self.slice(node.args[0], axis, start, count, step)
                return self.b.add(node.model_copy(update={"args": (arg,), "shape": shape}))
            case "scan" if axis not in node.axes or (start == 0 and step == 1 and not node.reverse):
                arg = self.slice(node.args[0], axis, start, count, step)
                if axis in node.axes and count == 1:  # of one element, which is all there is up to it
                    return arg
                return self.b.add(node.model_copy(update={"args": (arg,), "shape": shape}))
            case "cat":
                return self._slice_cat(node, axis, start, count, step)
            case "reshape":
                return self._slice_reshape(node, axis, start, count, step, shape)
        if node.pointwise:
            args = tuple(self._slice_operand(a, node, axis, start, count, step) for a in node.args)
            return self.b.add(node.model_copy(update={"args": args, "shape": shape}))
        raise Unsupported("slice", f"a slice of a value made by {node.op} is not covered")

    def _slice_operand(self, arg: int, node: Node, axis: int, start: int, count: int, step: int) -> int:
        shape = self.b[arg].shape
        inner = axis - (len(node.shape) - len(shape))
        if inner < 0 or shape[inner] == 1:
            return arg
        return self.slice(arg, inner, start, count, step)

    def _slice_cat(self, node: Node, axis: int, start: int, count: int, step: int) -> int:
        joined = node.axes[0]
        if axis != joined:
            return self.b.cat(tuple(self.slice(a, axis, start, count, step) for a in node.args), joined)
        if step != 1:
            raise Unsupported("slice", "a slice with a step along joined pieces is not covered")
        parts: list[int] = []
        at = 0
        for a in node.args:
            size = self.b[a].shape[axis]
            low, high = max(start, at), min(start + count, at + size)
            if low < high:
                parts.append(self.slice(a, axis, low - at, high - low))
            at += size
        return self.b.cat(tuple(parts), axis)

    def _slice_reshape(
        self, node: Node, axis: int, start: int, count: int, step: int, shape: tuple[int, ...]
    ) -> int:
        """Cut a reshaped value: map the axis where it survives the reshape, else reshape the leaves first."""
        source = self.b[node.args[0]]
        inner = surviving_axis(source.shape, node.shape, axis)
        if inner is not None:
            return self.b.reshape(self.slice(node.args[0], inner, start, count, step), shape)
        deep = self.deep_reshape(node.args[0], node.shape)
        if self.b[deep].op == "reshape":
            raise Unsupported("slice", "a slice across merged axes is not covered")
        return self.slice(deep, axis, start, count, step)

    def deep_reshape(self, x: int, shape: tuple[int, ...]) -> int:
        """Reshape by reshaping the leaves, as far as their strides allow."""
        node = self.b[x]
        if node.op == "load" and not node.args:
            strides = view_strides(node.shape, node.strides or contiguous(node.shape), shape)
            if strides is not None:
                return self.b.strided(node, shape, strides, node.offset)
        if node.op == "expand" and self.b[node.args[0]].shape == ():
            return self.b.expand(node.args[0], shape)
        if node.pointwise:
            args = tuple(self.deep_reshape(self._whole(a, node.shape), shape) for a in node.args)
            return self.b.add(node.model_copy(update={"args": args, "shape": shape}))
        return self.b.reshape(x, shape)

    def _whole(self, x: int, shape: tuple[int, ...]) -> int:
        node = self.b[x]
        if node.shape == shape:
            return x
        if node.op == "load" and not node.args:
            pad = len(shape) - len(node.shape)
            own = node.strides or contiguous(node.shape)
            strides = tuple(
                0 if i < pad or node.shape[i - pad] == 1 else own[i - pad] for i in range(len(shape))
            )
            return self.b.strided(node, shape, strides, node.offset)
        return self.b.expand(x, shape)

    # outputs that are joined of pieces

    def split(self, region: Region) -> list[Region]:
        """Return the region, cut wherever a join lies below it."""
        found = self._joint(region.node)
        if found is None:
            return [region]
        axis, bounds = found
        parts: list[Region] = []
        for low, high in pairwise(bounds):
            piece = self.slice(region.node, axis, low, high - low)
            offset = region.offset + low * region.strides[axis]
            parts += self.split(region.model_copy(update={"node": piece, "offset": offset}))
        return parts

    def _joint(self, x: int) -> tuple[int, tuple[int, ...]] | None:
        """Find a `cat` below `x` through pointwise operations and views; give its axis as seen at `x`."""
        if x not in self._joints:
            self._joints[x] = self._search_joint(x)
        return self._joints[x]

    def _search_joint(self, x: int) -> tuple[int, tuple[int, ...]] | None:
        node = self.b[x]
        if node.op == "cat":
            bounds = [0]
            for a in node.args:
                bounds.append(bounds[-1] + self.b[a].shape[node.axes[0]])
            return node.axes[0], tuple(bounds)
        if node.pointwise or node.op == "expand":
            for a in node.args:
                inner = self._joint(a)
                if inner is not None:
                    return inner[0] + len(node.shape) - len(self.b[a].shape), inner[1]
            return None
        if node.op in ("reshape", "permute", "reduce"):
            inner = self._joint(node.args[0])
            if inner is None:
                return None
            axis = self._outer_axis(node, inner[0])
            if axis is None:
                raise Unsupported("cat", f"joined pieces under {node.op} are not covered")
            return axis, inner[1]
        return None

    def _outer_axis(self, node: Node, axis: int) -> int | None:
        if node.op == "permute":
            return node.axes.index(axis)
        if node.op == "reduce":
            return None if axis in node.axes else axis
        source = self.b[node.args[0]].shape
        for outer in range(len(node.shape)):
            if surviving_axis(source, node.shape, outer) == axis:
                return outer
        return None
