"""Say numbers in terms of what the host function knows: shapes, sizes and attributes of the operator.

Each case of a task gives a value; an expression is found that gives all of them. With one case, or where all cases
agree and nothing else fits, the number itself is written. Simple expressions are tried first.
"""

import struct
from collections.abc import Iterator, Sequence

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta

TRIVIAL_FLOATS = frozenset({0.0, 1.0, -1.0, 2.0, 0.5, -0.5})
SMALL = (2, 3, 4, 5, 6, 8, 16)


class SymbolicNumber:
    """An expression of the host function and its value in each case."""

    def __init__(self, text: str, values: tuple[int | float, ...], *, atom: bool = True) -> None:
        self.text, self.values, self.atom = text, values, atom

    def inner(self) -> str:
        return self.text if self.atom else f"({self.text})"


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
        seen: set[str] = set()
        for fact in self._shapes(cases, input_names):
            if fact.text not in seen:
                seen.add(fact.text)
                self.integers.append(fact)
        for k, name in enumerate(attr_names):
            values = [c.attrs[k][1] for c in cases]
            if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
                self.settings.append(SymbolicNumber(name, tuple(v for v in values if isinstance(v, int))))
                self.integers.append(self.settings[-1])
            if all(isinstance(v, float) for v in values):
                self.floats.append(SymbolicNumber(name, tuple(v for v in values if isinstance(v, float))))
            if all(isinstance(v, tuple) for v in values):
                self._list_attribute(name, values)
        for k, name in enumerate(output_names):
            shapes = [output_shape(c, k) for c in cases]
            if all(s is not None for s in shapes):
                found = [s for s in shapes if s is not None]
                self.integers.append(SymbolicNumber(f"{name}.numel", tuple(_product(s) for s in found)))
                for d in range(1, min(len(s) for s in found) + 1):
                    self.integers.append(SymbolicNumber(f"{name}.shape[-{d}]", tuple(s[-d] for s in found)))

    def _list_attribute(self, name: str, values: Sequence[object]) -> None:
        lists = [v for v in values if isinstance(v, tuple)]
        for i in range(min(len(v) for v in lists)):
            items = [v[i] for v in lists]
            text = f"{name}[{i}]"
            if all(isinstance(x, int) and not isinstance(x, bool) for x in items):
                self.integers.append(SymbolicNumber(text, tuple(int(x) for x in items)))
            elif all(isinstance(x, float) for x in items):
                self.floats.append(SymbolicNumber(text, tuple(float(x) for x in items)))

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
                    yield SymbolicNumber(f"{name}[{k}].numel", tuple(v[k].count for v in lists))
        for name, ms in metas:
            rank = min(len(m.shape) for m in ms)
            yield SymbolicNumber(f"{name}.numel", tuple(m.count for m in ms))
            for d in range(1, rank + 1):
                yield SymbolicNumber(f"{name}.shape[-{d}]", tuple(m.shape[-d] for m in ms))
            for d in range(rank):
                yield SymbolicNumber(f"{name}.shape[{d}]", tuple(m.shape[d] for m in ms))
        for name, ms in metas:
            rank = min(len(m.shape) for m in ms)
            for d in range(1, rank + 1):
                if d < rank or rank > 1:
                    yield SymbolicNumber(
                        f"prod({name}.shape[:-{d}])", tuple(_product(m.shape[:-d]) for m in ms)
                    )
                    yield SymbolicNumber(
                        f"prod({name}.shape[-{d}:])", tuple(_product(m.shape[-d:]) for m in ms)
                    )
            for a in range(rank):
                yield SymbolicNumber(f"prod({name}.shape[{a}:])", tuple(_product(m.shape[a:]) for m in ms))
                yield SymbolicNumber(
                    f"prod({name}.shape[:{a + 1}])", tuple(_product(m.shape[: a + 1]) for m in ms)
                )
                for b in range(1, rank - a):
                    part = tuple(_product(m.shape[a:-b]) for m in ms)
                    yield SymbolicNumber(f"prod({name}.shape[{a}:-{b}])", part)

    def define(self, name: str, values: tuple[int, ...]) -> None:
        """Let a host variable be used in later expressions."""
        self.integers.append(SymbolicNumber(name, values))

    def setting(self, values: tuple[int, ...]) -> str:
        """Return an integer constant: an attribute of that value if there is one, else the number or an expression."""
        for fact in self.settings:
            if fact.values == values:
                return fact.text
        return self.integer(values, literal_first=True)

    def integer(self, values: tuple[int, ...], *, literal_first: bool = False) -> str:
        """Return an integer expression with these values. Raises Unsupported if none is found."""
        constant = len(set(values)) == 1
        if constant and (literal_first or values[0] in (0, 1)):
            return str(values[0])
        for fact in self.integers:
            if fact.values == values:
                return fact.text
        if constant:
            return str(values[0])
        for text in self._pairs(values):
            return text
        raise Unsupported(
            "shape", f"no rule was found for a length that is {_some(values)} in the task's cases"
        )

    def _pairs(self, values: tuple[int, ...]) -> Iterator[str]:
        for f in self.integers:
            for k in SMALL:
                if all(v * k == x for v, x in zip(values, f.values, strict=True)):
                    yield f"{f.inner()} // {k}"
                if all(v == x * k for v, x in zip(values, f.values, strict=True)):
                    yield f"{f.inner()} * {k}"
        for f in self.integers:
            shift = values[0] - f.values[0]
            if abs(shift) <= 64 and all(v - x == shift for v, x in zip(values, f.values, strict=True)):
                yield f"{f.inner()} + {shift}" if shift > 0 else f"{f.inner()} - {-shift}"
        for f in self.integers:
            for g in self.integers:
                triples = list(zip(values, f.values, g.values, strict=True))
                if all(y and x % y == 0 and v == x // y for v, x, y in triples):
                    yield f"{f.inner()} // {g.inner()}"
                if all(v == x * y for v, x, y in triples):
                    yield f"{f.inner()} * {g.inner()}"
                if all(v == x - y for v, x, y in triples):
                    yield f"{f.inner()} - {g.inner()}"
                if all(v == x + y for v, x, y in triples):
                    yield f"{f.inner()} + {g.inner()}"

    def number(self, values: tuple[float, ...]) -> str | None:
        """Return an expression for a floating-point constant; None if it varies and no rule is found."""
        constant = len({_single(v) for v in values}) == 1
        if constant and values[0] in TRIVIAL_FLOATS:
            return literal(values[0])
        for text, candidate in self._float_rules():
            if all(_same(a, b) for a, b in zip(candidate, values, strict=True)):
                return text
        if constant:
            return literal(values[0])
        for text, candidate in self._ratios(values):
            if all(_same(a, b) for a, b in zip(candidate, values, strict=True)):
                return text
        return None

    def _float_rules(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        for f in self.floats:
            v = f.values
            yield f.text, v
            yield f"-{f.text}", tuple(-x for x in v)
            yield f"1.0 - {f.text}", tuple(1.0 - x for x in v)
            if all(v):
                yield f"1.0 / {f.text}", tuple(1.0 / x for x in v)
        for f in self.floats:
            for g in self.floats:
                pairs = list(zip(f.values, g.values, strict=True))
                yield f"{f.text} * {g.text}", tuple(x * y for x, y in pairs)
                yield f"1.0 - {f.text} * {g.text}", tuple(1.0 - x * y for x, y in pairs)
                yield f"{f.text} * (1.0 - {g.text})", tuple(x * (1.0 - y) for x, y in pairs)

    def _ratios(self, values: tuple[float, ...]) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield constants over lengths, and integers as floats."""
        for f in self.integers:
            yield f"float({f.text})", tuple(float(x) for x in f.values)
            k = values[0] * f.values[0]
            if f.values[0] and abs(k) < 1e6:
                near = round(k * 4) / 4 if abs(round(k * 4) / 4 - k) < 1e-6 * max(1.0, abs(k)) else k
                yield f"{literal(near)} / float({f.text})", tuple(near / x if x else 0.0 for x in f.values)


def output_shape(case: TracedGraph, output: int) -> tuple[int, ...] | None:
    """Return an output's shape in this case, None where the reference does not define it."""
    for o in case.outputs:
        if o.output == output and o.element is None:
            meta = case.nodes[o.ref.node].metas[o.ref.part]
            return None if meta is None else meta.shape
    return None


def literal(value: float | int | bool) -> str:
    """Write a number so that the DSL reads the same value; infinities become the largest float32."""
    if isinstance(value, (bool, int)):
        return str(int(value))
    if value != value:
        raise Unsupported("nan", "a NaN constant is not covered")
    largest = 3.4028234663852886e38
    return repr(float(min(max(value, -largest), largest)))


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return value


def _same(a: float, b: float) -> bool:
    return abs(_single(a) - _single(b)) <= 2e-7 * max(abs(a), abs(b))


def _product(dims: Sequence[int]) -> int:
    n = 1
    for d in dims:
        n *= d
    return n


def _some(values: tuple[int, ...]) -> str:
    shown = ", ".join(str(v) for v in values[:4])
    return shown + (", …" if len(values) > 4 else "")
