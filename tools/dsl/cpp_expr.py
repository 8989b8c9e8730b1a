"""Scalar expressions and names as C++, for kernels and for the tiling function."""

from collections.abc import Callable

import numpy as np

from akgen.tools.dsl.evaluate import type_of
from akgen.tools.dsl.expr import Binary, Choice, Const, Expr, Func, Name, ScalarType, Unary

_TAKEN = (
    "alignas alignof and asm auto bool break case catch char class compl const constexpr continue decltype default "
    "delete do double else enum explicit export extern false float for friend goto half if inline int long mutable "
    "namespace new not operator or private protected public register return short signed sizeof static struct switch "
    "template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor "
    "int4b pipe tiling tilingData min max abs exp sqrt log pow sin cos tanh printf assert"
)


def _is_one_call(text: str) -> bool:
    """Say whether a text is a call, or in parentheses, as a whole: the first one opened closes at its end."""
    name, _, rest = text.partition("(")
    depth = 1
    for at, c in enumerate(rest, 1):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return " " not in name and at == len(rest)
    return False


def camel(name: str) -> str:
    """Return snake_case as camelCase."""
    head, *rest = [p for p in name.split("_") if p] or ["value"]
    return head[:1].lower() + head[1:] + "".join(p[:1].upper() + p[1:] for p in rest)


def pascal(name: str) -> str:
    """Return snake_case as PascalCase."""
    text = camel(name)
    return text[:1].upper() + text[1:]


class CppNames:
    """Unique C++ names, given out in the order of first use."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self.used: set[str] = set(_TAKEN.split())

    def of(self, key: str, wish: str | None = None) -> str:
        """Return the name for a key; `wish` (default: the key in camelCase) is what it should look like."""
        if key not in self.given:
            base = wish or camel(key)
            name, n = base, 2
            while name in self.used:
                name, n = (f"{base}{n}" if not base.endswith("_") else f"{base[:-1]}{n}_"), n + 1
            self.used.add(name)
            self.given[key] = name
        return self.given[key]


_BINDS = {op: n for n, ops in enumerate(("and or", "== != < <= > >=", "+ -", "* // %")) for op in ops.split()}
_IN_ORDER = {("+", "+"), ("+", "-"), ("-", "+"), ("-", "-"), ("*", "*"), ("and", "and"), ("or", "or")}


def _needs_none(operand: Expr, op: str, *, first: bool) -> bool:
    """Say whether an operand of `op` reads well without parentheses: it binds more, or stands first in a row."""
    if not isinstance(operand, Binary) or operand.op == "/":
        return False
    return _BINDS[operand.op] > _BINDS[op] or (first and (operand.op, op) in _IN_ORDER)


Types = Callable[[str], ScalarType]


class CppExpr:
    """Print expressions. `other` prints what depends on the place: reads, dimensions, program ids."""

    def __init__(
        self, names: Callable[[str], str], types: Types, other: Callable[[Expr], str], *, host: bool
    ) -> None:
        self.names, self.types, self.other, self.host = names, types, other, host
        self.used: set[str] = set()  # sections of the tile library that the expressions call

    def type(self, e: Expr) -> ScalarType:
        return type_of(e, self.types)

    @property
    def float_type(self) -> str:
        return "double" if self.host else "float"

    def text(self, e: Expr) -> str:
        """Return the expression as C++."""
        match e:
            case Const():
                return self.constant(e.value)
            case Name():
                return self.names(e.id)
            case Unary():
                return f"-{self.nested(e.operand)}" if e.op == "-" else f"!{self.nested(e.operand)}"
            case Choice():
                parts = [
                    f"({self.text(p)})" if isinstance(p, Choice) else self.text(p)
                    for p in (e.cond, e.then, e.other)
                ]
                return f"{parts[0]} ? {parts[1]} : {parts[2]}"
            case Binary():
                return self.binary(e)
            case Func(name="min" | "max" | "abs" | "ceil_div" | "align_up" | "float" | "int"):
                return self.function(e)
            case _:
                return self.other(e)

    def nested(self, e: Expr) -> str:
        text = self.text(e)
        return f"({text})" if isinstance(e, (Binary, Choice)) else text

    def as_float(self, e: Expr) -> str:
        """Return the expression converted to floating point."""
        if isinstance(e, Const) and not isinstance(e.value, bool):
            return self.constant(float(e.value))
        text = self.text(e)
        return text if self.type(e) == "float" else f"static_cast<{self.float_type}>({text})"

    def constant(self, value: bool | int | float) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if not self.host:
            with np.errstate(over="ignore"):
                single = np.float32(value)
            if np.isinf(single):
                self.used.add("TileInfinity")
                return "TileInfinity()" if single > 0 else "-TileInfinity()"
            if abs(single) == np.finfo(np.float32).max:
                self.used.add("TileLargest")
                return "TILE_LARGEST" if single > 0 else "-TILE_LARGEST"
            text = f"{single}"
            return (text if any(c in text for c in ".e") else text + ".0") + "f"
        return repr(value) if np.isfinite(value) else ("HUGE_VAL" if value > 0 else "-HUGE_VAL")

    def binary(self, e: Binary) -> str:
        if e.op == "/":
            left, right = self.as_float(e.left), self.as_float(e.right)
            return f"{self.wrapped(left)} / {self.wrapped(right)}"
        symbol = {"//": "/", "and": "&&", "or": "||"}.get(e.op, e.op)
        if e.op == "%" or self.type(e) != "float":
            left = self.text(e.left) if _needs_none(e.left, e.op, first=True) else self.nested(e.left)
            right = self.text(e.right) if _needs_none(e.right, e.op, first=False) else self.nested(e.right)
            return f"{left} {symbol} {right}"
        return f"{self.wrapped(self.as_float(e.left))} {symbol} {self.wrapped(self.as_float(e.right))}"

    @staticmethod
    def wrapped(text: str) -> str:
        """Return the text in parentheses unless it is a name, a number, one call or in parentheses."""
        simple = text.replace("_", "").replace(".", "").isalnum() or _is_one_call(text)
        return text if simple else f"({text})"

    def function(self, e: Func) -> str:
        if e.name == "float":
            return self.as_float(e.args[0])
        if e.name == "int":
            return f"static_cast<int64_t>({self.text(e.args[0])})"
        kind = self.type(e)
        args = [self.as_float(a) if kind == "float" else self.text(a) for a in self.operands(e)]
        if e.name in ("ceil_div", "align_up"):
            self.used.add("TileInt")
            name = {"ceil_div": "CeilDiv", "align_up": "AlignUp"}[e.name]
            return f"{'' if self.host else 'Tile'}{name}({', '.join(args)})"
        if e.name == "abs":
            zero = "0.0f" if kind == "float" else "0"
            return f"({args[0]} < {zero} ? -({args[0]}) : ({args[0]}))"
        if self.host:
            name = f"std::{e.name}<{'double' if kind == 'float' else 'int64_t'}>"
            return f"{name}({', '.join(args)})" if len(args) == 2 else f"{name}({{{', '.join(args)}}})"
        self.used.add("TileFloat" if kind == "float" else "TileInt")
        return self.folded(f"Tile{e.name.capitalize()}{'Float' if kind == 'float' else ''}", args)

    def operands(self, e: Func) -> list[Expr]:
        """Return the arguments; those of a min in a min, or a max in a max, as its own."""
        if e.name not in ("min", "max") or self.type(e) == "float":  # whose order decides about NaN
            return list(e.args)
        inner = (self.operands(a) if isinstance(a, Func) and a.name == e.name else [a] for a in e.args)
        return [a for part in inner for a in part]

    @staticmethod
    def folded(name: str, args: list[str]) -> str:
        text = args[0]
        for a in args[1:]:
            text = f"{name}({text}, {a})"
        return text
