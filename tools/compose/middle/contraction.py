"""A contraction as the cube core multiplies it: which axes are rows, columns and depth, how matrices lie in memory."""

from akgen.tools.compose.front.graph import CONTRACTIONS
from akgen.tools.compose.middle.loop_nest import Access
from akgen.tools.compose.middle.symbolic_nest import Address, SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.cube import PRODUCTS
from akgen.tools.dsl.expr import Expr


class Matrix(Frozen):
    """One of the three matrices. `pitch` is the elements between its stored rows, None where it has only one."""

    value: int  # of the load; of C, the store
    transposed: bool = False
    pitch: Expr | None
    address: Address


class Contraction(Frozen):
    """C (m, n) = A (m, k) x B (k, n) for every point of the `outer` axes. An axis that is None has one element.

    With `number`, each row has a matrix B of its own along the axis `groups`: which one, the load of this value says.
    """

    m: int | None
    n: int | None
    k: int | None
    outer: tuple[int, ...]
    stored: DType
    a: Matrix
    b: Matrix
    c: Matrix
    groups: int | None = None
    number: int | None = None


def contraction(t: SymbolicNest) -> Contraction:
    """Return how the nest's product is made. Raises Unsupported where a matrix does not lie as it must."""
    index = next(i for i, v in enumerate(t.values) if v.op in CONTRACTIONS)
    product = t.values[index]
    left, right, *more = product.args
    number = more[0] if more else None
    if any(t.values[x].op != "load" for x in product.args):
        raise Unsupported("contract", "a product of what is computed in the same phase is not covered")
    if len(t.nest.stores) != 1 or t.nest.stores[0].value != index:
        raise Unsupported("contract", "a product that is computed with in the same phase is not covered")
    (store,) = t.nest.stores
    assert product.stored is not None
    if store.dtype not in PRODUCTS[product.stored][0]:
        text = f"a product of {product.stored} that is stored as {store.dtype} is not covered"
        raise Unsupported("contract", text)
    if not all(x in t.values[left].deps and x in t.values[right].deps for x in product.over):
        raise Unsupported(
            "contract", "a product over an axis that one operand does not vary along is not covered"
        )
    if len(product.over) > 1:
        raise Unsupported("contract", "a product over axes that do not adjoin in memory is not covered")
    k = product.over[0] if product.over else None
    ends = [set(t.values[x].deps) - set(product.over) for x in (left, right)]
    rows, columns = ends[0] - ends[1], ends[1] - ends[0]
    groups = columns - set(product.deps)
    columns -= groups
    if (
        number is None
        and _unit(store.access, columns) is None
        and (_unit(store.access, rows) is not None or not columns)
    ):
        left, right, rows, columns = right, left, columns, rows  # C transposed is B transposed x A transposed
    n = _unit(store.access, columns)
    if columns and n is None:
        raise Unsupported("contract", "a product whose neighbours do not adjoin in memory is not covered")
    m = _rows(t, left, rows, k)
    a, b = _operand(t, left, m, k), _operand(t, right, k, n)
    address = t.stores[0]
    pitch = None if m is None else address.stride(m)
    outer = tuple(x for x in range(len(t.sizes)) if x not in (m, n, k, *groups))
    if number is not None and (outer or len(groups) > 1 or rows != {m}):
        raise Unsupported(
            "contract", "rows of a grouped product that lie in no regular distance are not covered"
        )
    return Contraction(
        m=m, n=n, k=k, outer=outer, stored=product.stored, a=a, b=b, c=Matrix(value=0, pitch=pitch, address=address),
        groups=next(iter(groups), None), number=number,
    )  # fmt: skip


def _unit(access: Access, axes: set[int]) -> int | None:
    """Return the axis along which neighbours adjoin."""
    return next((x for x in sorted(axes) if access.stride(x) == 1), None)


def _rows(t: SymbolicNest, left: int, rows: set[int], k: int | None) -> int | None:
    """Return the axis that becomes rows of A: along which A's neighbours adjoin, else the longest."""
    access = t.values[left].access
    assert access is not None
    if not rows:
        return None
    if k is not None and access.stride(k) != 1:
        adjoining = _unit(access, rows)
        if adjoining is not None:
            return adjoining
    return max(sorted(rows), key=lambda x: t.nest.sizes[x])


def _operand(t: SymbolicNest, value: int, first: int | None, second: int | None) -> Matrix:
    """Return A or B, whose axes these are: as it is, or stored transposed."""
    access, address = t.values[value].access, t.addresses[value]
    assert access is not None and address is not None

    def matrix(row: int | None, *, transposed: bool) -> Matrix:
        pitch = None if row is None else address.stride(row)
        return Matrix(value=value, transposed=transposed, pitch=pitch, address=address)

    def lies(row: int | None, column: int | None) -> bool:
        if column is not None and access.stride(column) != 1:
            return False
        return row is None or column is None or access.stride(row) >= t.nest.sizes[column]

    if lies(first, second):
        return matrix(first, transposed=False)
    if lies(second, first):
        return matrix(second, transposed=True)
    raise Unsupported("contract", "a product of a tensor whose rows do not lie in one piece is not covered")
