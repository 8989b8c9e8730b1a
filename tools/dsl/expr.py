"""Scalar expressions of the tile DSL, as data."""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Annotated, Literal, cast

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen, InstanceOf

ScalarType = Literal["int", "float", "bool"]
BinaryOp = Literal["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
# name -> (number of arguments, result type; None: the type of the arguments)
FUNCTIONS: dict[str, tuple[int | None, ScalarType | None]] = {
    "min": (None, None), "max": (None, None), "abs": (1, None), "ceil_div": (2, "int"), "align_up": (2, "int"),
    "float": (1, "float"), "int": (1, "int"), "program_id": (0, "int"), "num_programs": (0, "int"),
    "core_num": (0, "int"), "sqrt": (1, "float"), "exp": (1, "float"), "log": (1, "float"), "pow": (2, "float"),
    "len": (1, "int"),
}  # fmt: skip
KERNEL_ONLY = frozenset({"program_id", "num_programs"})
HOST_ONLY = frozenset({"core_num", "sqrt", "exp", "log", "pow", "len"})


class Arithmetic(Frozen):
    """What every expression can do: Python's operators build the tree; plain numbers become constants."""

    def __add__(self, other: "Expr | float") -> "Binary":
        return binary("+", cast("Expr", self), other)

    def __sub__(self, other: "Expr | float") -> "Binary":
        return binary("-", cast("Expr", self), other)

    def __mul__(self, other: "Expr | float") -> "Binary":
        return binary("*", cast("Expr", self), other)

    def __truediv__(self, other: "Expr | float") -> "Binary":
        return binary("/", cast("Expr", self), other)

    def __floordiv__(self, other: "Expr | float") -> "Binary":
        return binary("//", cast("Expr", self), other)

    def __mod__(self, other: "Expr | float") -> "Binary":
        return binary("%", cast("Expr", self), other)

    def __neg__(self) -> "Expr":
        """Return the expression negated; of a number, the other number, as the parser reads it."""
        if isinstance(self, Const) and not repr(self.value).startswith("-"):
            return Const(value=-self.value)
        return Unary(op="-", operand=cast("Expr", self))


class Const(Arithmetic):
    """A number or truth value; 1, 1.0 and True differ, as do 0.0 and -0.0."""

    value: bool | int | float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))


class Name(Arithmetic):
    id: str


class Binary(Arithmetic):
    op: BinaryOp
    left: "Expr"
    right: "Expr"


class Unary(Arithmetic):
    op: Literal["-", "not"]
    operand: "Expr"


class Choice(Arithmetic):
    """`then if cond else other`."""

    cond: "Expr"
    then: "Expr"
    other: "Expr"


class Func(Arithmetic):
    name: str
    args: tuple["Expr", ...]


class Element(Arithmetic):
    """`tile[index]`: one element of a tile as a scalar."""

    tile: str
    index: "Expr"


class Read(Arithmetic):
    """`read(tensor, index)`: one element of global memory as a scalar; `item` picks the tensor of a list."""

    tensor: str
    index: "Expr"
    item: "Expr | None" = None


class Dim(Arithmetic):
    """Host: `x.shape[index]`."""

    tensor: str
    index: "Expr"


class DimProduct(Arithmetic):
    """Host: `prod(x.shape[start:stop])`."""

    tensor: str
    start: "Expr | None"
    stop: "Expr | None"


class Property(Arithmetic):
    """Host: rank, elements, bytes per element, or presence of a tensor; longest and total of a list."""

    tensor: str
    name: Literal["ndim", "numel", "size", "present", "max_numel", "total_numel"]


class ListLength(Arithmetic):
    """`len(xs)` of a list of tensors."""

    tensor: str


class ListNumel(Arithmetic):
    """`xs[index].numel`."""

    tensor: str
    index: "Expr"


class DTypeTest(Arithmetic):
    """Host: `x.dtype == float32`."""

    tensor: str
    dtype: DType


class TextTest(Arithmetic):
    """Host: `attr == "text"` of a string attribute."""

    attr: str
    text: str


class Item(Arithmetic):
    """Host: `attr[index]` of a list attribute."""

    attr: str
    index: "Expr"


class Fit(Arithmetic):
    """Host: `fit_tile(kernel, "param", other=…)`."""

    kernel: str
    param: str
    dims: tuple[tuple[str, "Expr"], ...]


Expr = Annotated[
    Const | Name | Binary | Unary | Choice | Func | Element | Read | Dim | DimProduct | Property | DTypeTest | TextTest
    | Item | Fit | ListLength | ListNumel,
    InstanceOf(Arithmetic),
]  # fmt: skip
for _model in (Binary, Unary, Choice, Func, Element, Read, Dim, DimProduct, Item, Fit, ListNumel):
    _model.model_rebuild()
ZERO, ONE = Const(value=0), Const(value=1)


def constant(value: "Expr | float") -> Expr:
    """Return an expression as it is, a plain number as a constant."""
    return Const(value=value) if isinstance(value, (int, float)) else value


def binary(op: BinaryOp, left: Expr | float, right: Expr | float) -> Binary:
    """Return two operands joined by an operator."""
    return Binary(op=op, left=constant(left), right=constant(right))


def joined(op: BinaryOp, parts: Iterable[Expr], empty: Expr) -> Expr:
    """Return the parts joined from left to right; `empty` where there are none."""
    first, *rest = (*parts,) or (empty,)
    return reduce(lambda left, right: binary(op, left, right), rest, first)


def product(factors: Iterable[Expr]) -> Expr:
    return joined("*", factors, ONE)


def call(name: str, *args: Expr | float) -> Func:
    """Return a call of a scalar function."""
    return Func(name=name, args=tuple(constant(a) for a in args))


def children(e: Expr) -> tuple[Expr, ...]:
    """Return the direct subexpressions."""
    match e:
        case Binary():
            return (e.left, e.right)
        case Unary():
            return (e.operand,)
        case Choice():
            return (e.cond, e.then, e.other)
        case Func():
            return e.args
        case Read():
            return (e.index,) if e.item is None else (e.index, e.item)
        case Element() | Dim() | Item() | ListNumel():
            return (e.index,)
        case DimProduct():
            return tuple(x for x in (e.start, e.stop) if x is not None)
        case Fit():
            return tuple(x for _, x in e.dims)
        case _:
            return ()


def walk(e: Expr) -> Iterator[Expr]:
    """Yield the expression and everything below it."""
    yield e
    for c in children(e):
        yield from walk(c)


def names_in(e: Expr) -> frozenset[str]:
    """Return the scalar names that the expression reads."""
    return frozenset(x.id for x in walk(e) if isinstance(x, Name))


def replace_names(e: Expr, image: Callable[[str], Expr]) -> Expr:
    """Return the expression with every name replaced by its image."""
    match e:
        case Name():
            return image(e.id)
        case Binary():
            return Binary(op=e.op, left=replace_names(e.left, image), right=replace_names(e.right, image))
        case Unary():
            return Unary(op=e.op, operand=replace_names(e.operand, image))
        case Choice():
            return Choice(
                cond=replace_names(e.cond, image),
                then=replace_names(e.then, image),
                other=replace_names(e.other, image),
            )
        case Func():
            return Func(name=e.name, args=tuple(replace_names(a, image) for a in e.args))
        case _:
            return e
