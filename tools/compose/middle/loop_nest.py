"""The loop-nest form of a graph: axes, values that depend on some of them, strided loads and stores. No views."""

from akgen.tools.compose.front.graph import CONTRACTIONS, Number, ReduceKind
from akgen.tools.compose.front.traced import Origin
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen


class Guard(Frozen):
    """A condition: 0 <= offset + sum of stride * index < limit."""

    offset: int
    strides: tuple[tuple[int, int], ...]
    limit: int

    def stride(self, axis: int) -> int:
        return dict(self.strides).get(axis, 0)


class Access(Frozen):
    """An address: offset + sum of stride * index over some axes, in elements. `strides` is sorted by axis.

    In a loop over nests it moves by `turn` elements in each turn.

    The operands of a load are indices: each adds `scales` times its value, which is below `limits`. Where a guard does
    not hold, nothing is read and the load's `value` stands. Of a window, one dimension is walked by several axes.
    """

    offset: int = 0
    strides: tuple[tuple[int, int], ...] = ()  # (axis, stride)
    places: tuple[tuple[int, int], ...] = ()  # of indices: (constant, stride); part of the offset
    guards: tuple[Guard, ...] = ()
    scales: tuple[int, ...] = ()
    limits: tuple[int, ...] = ()
    window: bool = False
    turn: int = 0

    def stride(self, axis: int) -> int:
        return dict(self.strides).get(axis, 0)


class Value(Frozen):
    """One value of the nest. `deps` are the axes that it varies along, sorted."""

    op: str  # load const iota inv_count reduce scan contract and pointwise names
    args: tuple[int, ...] = ()
    dtype: DType
    deps: tuple[int, ...] = ()
    origin: Origin | None = None  # load
    access: Access | None = None  # load; iota: index -> position
    value: Number | None = (
        None  # const; iota: first value; inv_count: what is taken off the count; load: outside
    )
    step: Number | None = None  # iota
    fill: Number | None = None  # scatter: what is scattered into, where it is a number
    tag: int = 0  # const: keeps equal ones apart
    kind: ReduceKind | None = None  # reduce, scan
    over: tuple[int, ...] = ()  # reduce, inv_count, contract: axes; scan: the axis along which it runs
    reverse: bool = False  # scan: from the last element to the first; sort: the smallest first
    stored: DType | None = None  # contract: the dtype of its operands in memory
    rounded: DType | None = None  # to what PyTorch rounds this very value


class OutputStore(Frozen):
    """A value to be written to an output, at `access`, for every point of `axes`.

    With `temp` it goes to a workspace tensor of `count` elements in all, which a later phase loads.
    """

    value: int
    output: int | None = None
    temp: int | None = None
    count: int | None = None
    element: int | None = None
    dtype: DType
    axes: tuple[int, ...]
    access: Access
    whole: bool  # the store covers the output completely


class LoopNest(Frozen):
    """Axes are numbered from the outermost; `sizes[a]` is the length of axis a (never 1).

    Nests of a later phase run when all cores have finished the phase before. Those of one `loop` are run, phase by
    phase, `turns` times.
    """

    sizes: tuple[int, ...]
    values: tuple[Value, ...]
    stores: tuple[OutputStore, ...]
    phase: int = 0
    loop: int | None = None
    turns: int = 0
    listed: bool = False  # axes: position in a list, element of a tensor

    def canonical(self) -> "LoopNest":
        """Return the nest with its values in the order in which the stores need them, operands left to right."""
        order: list[int] = []
        seen: set[int] = set()
        stack = [(s.value, False) for s in reversed(self.stores)]
        while stack:
            i, done = stack.pop()
            if done:
                order.append(i)
            elif i not in seen:
                seen.add(i)
                stack.append((i, True))
                stack += [(a, False) for a in reversed(self.values[i].args)]
        new = {old: k for k, old in enumerate(order)}
        values = tuple(
            self.values[i].model_copy(update={"args": tuple(new[a] for a in self.values[i].args)})
            for i in order
        )
        stores = tuple(s.model_copy(update={"value": new[s.value]}) for s in self.stores)
        return LoopNest(sizes=self.sizes, values=values, stores=stores)

    def reductions(self) -> tuple[int, ...]:
        return tuple(i for i, v in enumerate(self.values) if v.op == "reduce")

    def scans(self) -> tuple[int, ...]:
        return tuple(i for i, v in enumerate(self.values) if v.op == "scan")

    def overs(self) -> set[tuple[int, ...]]:
        """Return the sets of axes over which something is reduced or runs in order."""
        return {self.values[i].over for i in (*self.reductions(), *self.scans())}


def keeps_dtypes(nest: LoopNest) -> bool:
    """Return whether the nest multiplies what lies in the workspace, or rounds a product there: in the case's dtype."""
    for v in nest.values:
        if v.op in CONTRACTIONS:
            origins = [nest.values[a].origin for a in v.args[:2]]
            rounded = any(s.temp is not None and s.dtype != v.dtype for s in nest.stores)
            return rounded or any(o is not None and o.temp is not None for o in origins)
    return False
