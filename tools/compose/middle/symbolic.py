"""Say numbers in terms of what the host function knows: shapes, sizes and attributes of the operator.

Each case of a task gives a value; an expression is found that gives all of them. With one case, or where all cases
agree and nothing else fits, the number itself is written. Simple expressions are tried first.
"""

import math
import struct
from collections.abc import Callable, Iterator, Sequence

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.dsl.expr import Const, Dim, DimProduct, Expr, Item, ListNumel, Name, Property, call

TRIVIAL_FLOATS = frozenset({0.0, 1.0, -1.0, 2.0, 0.5, -0.5})
SMALL = (2, 3, 4, 5, 6, 8, 16)
ENOUGH_FOR_PRODUCTS = 3  # different values: with fewer, some product fits by chance
ENOUGH_FOR_UNLIKE = 6  # for products of windows that differ in size or step, of which there are some millions


class SymbolicNumber:
    """An expression of the host function and its value in each case."""

    def __init__(self, expr: Expr, values: tuple[int | float, ...]) -> None:
        self.expr, self.values = expr, values


class SymbolicNumbers:
    """What the host function can say about a group of cases."""

    def __init__(
        self,
        cases: Sequence[TracedGraph],
        input_names: Sequence[str],
        attr_names: Sequence[str],
        output_names: Sequence[str] = (),
    ) -> None:
        self.count = len(cases)
        self.integers: list[SymbolicNumber] = []
        self.floats: list[SymbolicNumber] = []
        self.settings: list[SymbolicNumber] = []  # integer attributes
        seen: set[Expr] = set()
        for fact in self._shapes(cases, input_names):
            if fact.expr not in seen:
                seen.add(fact.expr)
                self.integers.append(fact)
        for k, name in enumerate(attr_names):
            values = [c.attrs[k][1] for c in cases]
            if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
                whole = tuple(v for v in values if isinstance(v, int))
                self.settings.append(SymbolicNumber(Name(id=name), whole))
                self.integers.append(self.settings[-1])
            if all(isinstance(v, float) for v in values):
                numbers = tuple(v for v in values if isinstance(v, float))
                self.floats.append(SymbolicNumber(Name(id=name), numbers))
            if all(isinstance(v, tuple) for v in values):
                self._list_attribute(name, values)
        for k, name in enumerate(output_names):
            shapes = [c.output_shape(k) for c in cases]
            if all(s is not None for s in shapes):
                found = [s for s in shapes if s is not None]
                self.integers.append(SymbolicNumber(numel(name), tuple(math.prod(s) for s in found)))
                for d in range(1, min(len(s) for s in found) + 1):
                    self.integers.append(SymbolicNumber(length(name, -d), tuple(s[-d] for s in found)))
                for d in range(2, min(len(s) for s in found)):
                    inner = DimProduct(tensor=name, start=Const(value=-d), stop=None)
                    self.integers.append(SymbolicNumber(inner, tuple(math.prod(s[-d:]) for s in found)))

    def _list_attribute(self, name: str, values: Sequence[object]) -> None:
        lists = [v for v in values if isinstance(v, tuple)]
        for i in range(min(len(v) for v in lists)):
            items = [v[i] for v in lists]
            item = Item(attr=name, index=Const(value=i))
            if all(isinstance(x, int) and not isinstance(x, bool) for x in items):
                self.integers.append(SymbolicNumber(item, tuple(int(x) for x in items)))
            elif all(isinstance(x, float) for x in items):
                self.floats.append(SymbolicNumber(item, tuple(float(x) for x in items)))

    def _shapes(self, cases: Sequence[TracedGraph], names: Sequence[str]) -> Iterator[SymbolicNumber]:
        metas: list[tuple[str, list[TensorMeta]]] = []
        for i, name in enumerate(names):
            found = [c.inputs[i] for c in cases]
            if all(isinstance(m, TensorMeta) for m in found):
                metas.append((name, [m for m in found if isinstance(m, TensorMeta)]))
        for i, name in enumerate(names):
            lists = [m for c in cases if isinstance(m := c.inputs[i], tuple)]
            if len(lists) == len(cases):
                for k in range(min(len(v) for v in lists)):
                    element = ListNumel(tensor=name, index=Const(value=k))
                    yield SymbolicNumber(element, tuple(v[k].count for v in lists))
        for name, ms in metas:
            rank = min(len(m.shape) for m in ms)
            yield SymbolicNumber(numel(name), tuple(m.count for m in ms))
            for d in range(1, rank + 1):
                yield SymbolicNumber(length(name, -d), tuple(m.shape[-d] for m in ms))
            for d in range(rank):
                yield SymbolicNumber(length(name, d), tuple(m.shape[d] for m in ms))
        for name, ms in metas:
            rank = min(len(m.shape) for m in ms)
            for d in range(1, rank + 1):
                if d < rank or rank > 1:
                    yield _part(name, ms, None, -d)
                    yield _part(name, ms, -d, None)
            for a in range(rank):
                yield _part(name, ms, a, None)
                yield _part(name, ms, None, a + 1)
                for b in range(1, rank - a):
                    yield _part(name, ms, a, -b)

    def define(self, name: str, values: tuple[int, ...]) -> None:
        """Let a host variable be used in later expressions."""
        self.integers.append(SymbolicNumber(Name(id=name), values))

    def setting(self, values: tuple[int, ...]) -> Expr:
        """Return an integer constant: an attribute of that value if there is one, else the number or an expression."""
        for fact in self.settings:
            if fact.values == values:
                return fact.expr
        return self.integer(values, literal_first=True)

    def integer(self, values: tuple[int, ...], *, literal_first: bool = False) -> Expr:
        """Return an integer expression with these values. Raises Unsupported if none is found."""
        constant = len(set(values)) == 1
        if constant and (literal_first or values[0] in (0, 1)):
            return Const(value=values[0])
        for fact in self.integers:
            if fact.values == values:
                return fact.expr
        if constant:
            return Const(value=values[0])
        for found in self._pairs(values):
            return found
        raise Unsupported(
            "shape", f"no rule was found for a length that is {_some(values)} in the task's cases"
        )

    def _pairs(self, values: tuple[int, ...]) -> Iterator[Expr]:
        for f in self.integers:
            for k in SMALL:
                if all(v * k == x for v, x in zip(values, f.values, strict=True)):
                    yield f.expr // k
                if all(v == x * k for v, x in zip(values, f.values, strict=True)):
                    yield f.expr * k
        for f in self.integers:
            shift = int(values[0] - f.values[0])
            if abs(shift) <= 64 and all(v - x == shift for v, x in zip(values, f.values, strict=True)):
                yield f.expr + shift if shift > 0 else f.expr - -shift
        for f in self.integers:
            for k in SMALL:
                if all(v == -(-x // k) for v, x in zip(values, f.values, strict=True)):
                    yield call("ceil_div", f.expr, k)
                if all(v == (x - 1) // k for v, x in zip(values, f.values, strict=True)):
                    yield (f.expr - 1) // k
        for f in self.integers:
            for g in self.integers:
                triples = list(zip(values, f.values, g.values, strict=True))
                if all(y and x % y == 0 and v == x // y for v, x, y in triples):
                    yield f.expr // g.expr
                if all(v == x * y for v, x, y in triples):
                    yield f.expr * g.expr
                if all(v == x - y for v, x, y in triples):
                    yield f.expr - g.expr
                if all(v == x + y for v, x, y in triples):
                    yield f.expr + g.expr
        yield from self._multiples(values)
        if len(set(values)) >= ENOUGH_FOR_PRODUCTS:
            yield from self._products_of_windows(values)

    def _products_of_windows(self, values: tuple[int, ...]) -> Iterator[Expr]:
        """Yield the product of two lengths of which each counts windows, as (h - 2) // 4, with or without another."""
        few = len(set(values)) < ENOUGH_FOR_UNLIKE
        counts: dict[tuple[int, ...], dict[tuple[int, int], Expr]] = {}  # by step and what a window lacks
        for f in self.integers:
            for k in (1, *SMALL):
                for less in range(-1, 9):
                    found = tuple(int(x - less) // k for x in f.values)
                    if min(found) > 0 and (less or k > 1):
                        moved = f.expr if not less else f.expr - less if less > 0 else f.expr + -less
                        counts.setdefault(found, {}).setdefault((k, less), moved // k if k > 1 else moved)
        plain = {tuple(int(x) for x in f.values): f.expr for f in reversed(self.integers)}
        for high, windows in counts.items():
            if any(v % h for v, h in zip(values, high, strict=True)):
                continue
            rest = tuple(v // h for v, h in zip(values, high, strict=True))
            if rest in plain and not few:
                yield next(iter(windows.values())) * plain[rest]
            elif rest in counts and (pair := _alike(windows, counts[rest], few=few)):
                yield pair
            for low, others in counts.items():
                if all(r % n == 0 for r, n in zip(rest, low, strict=True)):
                    last = tuple(r // n for r, n in zip(rest, low, strict=True))
                    if last in plain and (pair := _alike(windows, others, few=few)):
                        yield pair * plain[last]

    def _multiples(self, values: tuple[int, ...]) -> Iterator[Expr]:
        """Yield a fact, or the product of two, times any number, or over any number."""
        for f in self.integers:
            x = int(f.values[0])
            if (
                x
                and values[0] % x == 0
                and all(v == y * (values[0] // x) for v, y in zip(values, f.values, strict=True))
            ):
                yield f.expr * (values[0] // x)
            if values[0] and x % values[0] == 0:
                k = x // values[0]
                if all(v * k == y for v, y in zip(values, f.values, strict=True)):
                    yield f.expr // k
        for f in self.integers:
            for g in self.integers:
                both = [int(x * y) for x, y in zip(f.values, g.values, strict=True)]
                k = values[0] // both[0] if both[0] else 0
                if k > 1 and all(v == x * k for v, x in zip(values, both, strict=True)):
                    yield f.expr * g.expr * k

    def number(self, values: tuple[float, ...]) -> Expr | None:
        """Return an expression for a floating-point constant; None if it varies and no rule is found."""
        constant = len({_single(v) for v in values}) == 1
        if constant and values[0] in TRIVIAL_FLOATS:
            return literal(values[0])
        for found in self._float_rules(values):
            return found
        if constant:
            return literal(values[0])
        for found in self._ratios(values):
            return found
        if all(v == int(v) and 0 <= v < 2**24 for v in values):
            try:
                return call("float", self.integer(tuple(int(v) for v in values)))
            except Unsupported:
                return None
        for found in self._quotients(values):
            return found
        for shift in (-1.0, 1.0):  # as -1 + 1 / n, the middle of the first of n parts of [-1, 1]
            for found in self._ratios(tuple(v - shift for v in values)):
                return found + shift
        return next(self._lines(values), None)

    def _lines(self, values: tuple[float, ...]) -> Iterator[Expr]:
        """Yield attributes times a short number, plus another one where three of its values agree: 1 - 0.01 * rate."""
        for f in self.floats:
            low, high = min(f.values), max(f.values)
            if low == high:
                continue
            first, last = values[f.values.index(low)], values[f.values.index(high)]
            slope = float(f"{(last - first) / (high - low):.6g}")
            offset = float(f"{last - slope * high:.6g}")
            enough = len(set(f.values)) > (2 if offset else 1)
            if enough and _agree([slope * x + offset for x in f.values], values):
                scaled = f.expr * literal(slope)
                yield scaled + literal(offset) if offset else scaled

    def _float_rules(self, values: tuple[float, ...]) -> Iterator[Expr]:
        """Yield attributes and what is made of one or two of them: what gives the very numbers comes first.

        One less 0.9 is not quite 0.1, so that a rate of 0.1 is told from it.
        """
        for agree in (_identical, _agree):
            yield from (f.expr for f in self.floats if agree(f.values, values))
            yield from self._of_one_or_two(values, agree)

    def _of_one_or_two(
        self, values: tuple[float, ...], agree: Callable[[Sequence[float], Sequence[float]], bool]
    ) -> Iterator[Expr]:
        one = Const(value=1.0)
        for f in self.floats:
            v = f.values
            if agree([-x for x in v], values):
                yield -f.expr
            if agree([1.0 - x for x in v], values):
                yield one - f.expr
            if all(v) and agree([1.0 / x for x in v], values):
                yield one / f.expr
        for f in self.floats:
            for g in self.floats:
                pairs = list(zip(f.values, g.values, strict=True))
                if agree([x * y for x, y in pairs], values):
                    yield f.expr * g.expr
                if agree([1.0 - x * y for x, y in pairs], values):
                    yield one - f.expr * g.expr
                if agree([x * (1.0 - y) for x, y in pairs], values):
                    yield f.expr * (one - g.expr)

    def _quotients(self, values: tuple[float, ...]) -> Iterator[Expr]:
        """Yield lengths over lengths, as they are and each less one."""
        for less in (0, 1):
            lengths = [(f.expr, [x - less for x in f.values]) for f in self.integers]
            for over, xs in lengths:
                for under, ys in lengths:
                    pairs = zip(xs, ys, strict=True)
                    if all(ys) and _agree([x / y for x, y in pairs], values):
                        parts = (over - less, under - less) if less else (over, under)
                        yield call("float", parts[0]) / call("float", parts[1])
                for fixed in _whole_divisors(xs, values):
                    yield call("float", over - less if less else over) / literal(float(fixed))

    def _ratios(self, values: tuple[float, ...]) -> Iterator[Expr]:
        """Yield constants over lengths, and integers as floats."""
        for f in self.integers:
            if _agree([float(x) for x in f.values], values):
                yield call("float", f.expr)
            if all(x > 0 for x in f.values):
                root = call("sqrt", call("float", f.expr))
                if _agree([math.sqrt(x) for x in f.values], values):
                    yield root
                if _agree([1.0 / math.sqrt(x) for x in f.values], values):
                    yield Const(value=1.0) / root
            k = values[0] * f.values[0]
            if f.values[0] and abs(k) < 1e6:
                near = round(k * 4) / 4 if abs(round(k * 4) / 4 - k) < 1e-6 * max(1.0, abs(k)) else k
                if _agree([near / x if x else 0.0 for x in f.values], values):
                    yield literal(near) / call("float", f.expr)


def _whole_divisors(lengths: Sequence[float], values: Sequence[float]) -> Iterator[int]:
    """Yield a whole number by which the lengths divided give the values, if there is one."""
    if all(values) and lengths[0]:
        by = round(lengths[0] / values[0])
        if by and _agree([x / by for x in lengths], values):
            yield by


def _alike(high: dict[tuple[int, int], Expr], low: dict[tuple[int, int], Expr], *, few: bool) -> Expr | None:
    """Return the product of two numbers of windows; of windows alike alone where `few` values tell."""
    if not few:
        return next(iter(high.values())) * next(iter(low.values()))
    both = next((w for w in high if w in low), None)
    return high[both] * low[both] if both is not None else None


def numel(tensor: str) -> Expr:
    return Property(tensor=tensor, name="numel")


def length(tensor: str, axis: int) -> Expr:
    """Return a tensor's length along an axis; negative ones count from the end."""
    return Dim(tensor=tensor, index=Const(value=axis))


def _part(name: str, metas: Sequence[TensorMeta], start: int | None, stop: int | None) -> SymbolicNumber:
    """Return the product of a part of a tensor's shape."""
    first, last = (None if k is None else Const(value=k) for k in (start, stop))
    expr = DimProduct(tensor=name, start=first, stop=last)
    return SymbolicNumber(expr, tuple(math.prod(m.shape[start:stop]) for m in metas))


def literal(value: float | int | bool) -> Const:
    """Return a number as a constant of the DSL."""
    if isinstance(value, (bool, int)):
        return Const(value=int(value))
    if value != value:
        raise Unsupported("nan", "a NaN constant is not covered")
    return Const(value=float(value))


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value


def _same(a: float, b: float) -> bool:
    return abs(_single(a) - _single(b)) <= 2e-7 * max(abs(a), abs(b))


def _agree(found: Sequence[float], wanted: Sequence[float]) -> bool:
    return all(_same(a, b) for a, b in zip(found, wanted, strict=True))


def _some(values: tuple[int, ...]) -> str:
    shown = ", ".join(str(v) for v in values[:4])
    return shown + (", …" if len(values) > 4 else "")


def _identical(a: Sequence[float], b: Sequence[float]) -> bool:
    return all(x == y for x, y in zip(a, b, strict=True))
