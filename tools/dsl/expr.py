"""Scalar expressions of the tile DSL, as data."""

from collections.abc import Callable, Iterator
from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

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


class Const(Frozen):
    """A number or truth value; 1, 1.0 and True differ, as do 0.0 and -0.0."""

    value: bool | int | float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))


class Name(Frozen):
    id: str


class Binary(Frozen):
    op: BinaryOp
    left: "Expr"
    right: "Expr"


class Unary(Frozen):
    op: Literal["-", "not"]
    operand: "Expr"


class Choice(Frozen):
    """`then if cond else other`."""

    cond: "Expr"
    then: "Expr"
    other: "Expr"


class Func(Frozen):
    name: str
    args: tuple["Expr", ...]


class Element(Frozen):
    """`tile[index]`: one element of a tile as a scalar."""

    tile: str
    index: "Expr"


class Read(Frozen):
    """`read(tensor, index)`: one element of global memory as a scalar; `item` picks the tensor of a list."""

    tensor: str
    index: "Expr"
    item: "Expr | None" = None


class Dim(Frozen):
    """Host: `x.shape[index]`."""

    tensor: str
    index: "Expr"


class DimProduct(Frozen):
    """Host: `prod(x.shape[start:stop])`."""

    tensor: str
    start: "Expr | None"
    stop: "Expr | None"


class Property(Frozen):
    """Host: rank, elements, bytes per element, or presence of a tensor; longest and total of a list."""

    tensor: str
    name: Literal["ndim", "numel", "size", "present", "max_numel", "total_numel"]


class ListLength(Frozen):
    """`len(xs)` of a list of tensors."""

    tensor: str


class ListNumel(Frozen):
    """`xs[index].numel`."""

    tensor: str
    index: "Expr"


class DTypeTest(Frozen):
    """Host: `x.dtype == float32`."""

    tensor: str
    dtype: DType


class TextTest(Frozen):
    """Host: `attr == "text"` of a string attribute."""

    attr: str
    text: str


class Item(Frozen):
    """Host: `attr[index]` of a list attribute."""

    attr: str
    index: "Expr"


class Fit(Frozen):
    """Host: `fit_tile(kernel, "param", other=…)`."""

    kernel: str
    param: str
    dims: tuple[tuple[str, "Expr"], ...]


Expr = (
    Const | Name | Binary | Unary | Choice | Func | Element | Read | Dim | DimProduct | Property | DTypeTest | TextTest
    | Item | Fit | ListLength | ListNumel
)  # fmt: skip
for _model in (Binary, Unary, Choice, Func, Element, Read, Dim, DimProduct, Item, Fit, ListNumel):
    _model.model_rebuild()


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


def type_of(e: Expr, names: Callable[[str], ScalarType]) -> ScalarType:
    """Return the scalar type of an expression, given the types of names."""
    match e:
        case Const():
            return "bool" if isinstance(e.value, bool) else "int" if isinstance(e.value, int) else "float"
        case Name():
            return names(e.id)
        case Binary():
            if e.op in COMPARISONS or e.op in ("and", "or"):
                return "bool"
            if e.op == "/":
                return "float"
            return "float" if "float" in (type_of(e.left, names), type_of(e.right, names)) else "int"
        case Unary():
            return "bool" if e.op == "not" else type_of(e.operand, names)
        case Choice():
            kinds = (type_of(e.then, names), type_of(e.other, names))
            return "float" if "float" in kinds else kinds[0]
        case Func():
            result = FUNCTIONS[e.name][1]
            if result is not None:
                return result
            return "float" if "float" in [type_of(a, names) for a in e.args] else "int"
        case Element() | Read():
            return "float"
        case Item():
            return names(e.attr)
        case DTypeTest() | TextTest():
            return "bool"
        case Property():
            return "bool" if e.name == "present" else "int"
        case _:
            return "int"
