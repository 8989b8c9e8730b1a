"""Printed text is read back as the same program: parse(print(ir)) == ir, lines included."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import Program
from akgen.tools.dsl.expr import (
    COMPARISONS,
    Binary,
    Choice,
    Const,
    Dim,
    DimProduct,
    DTypeTest,
    Element,
    Expr,
    Fit,
    Func,
    Item,
    ListLength,
    ListNumel,
    Name,
    Property,
    Read,
    TextTest,
    Unary,
)  # fmt: skip
from akgen.tools.dsl.ir import (
    Alloc,
    Assert,
    Assign,
    Block,
    Declare,
    DimList,
    DimSlice,
    ElementType,
    For,
    Host,
    HostParam,
    If,
    Kernel,
    KernelParam,
    Launch,
    Load,
    Op,
    Stmt,
    Store,
    TileRef,
)  # fmt: skip
from akgen.tools.dsl.parse import parse
from akgen.tools.dsl.printer import printed
from akgen.tools.dsl.show import show
from tests.dsl.running import documented
from tests.sampled import sampled

PROGRAMS = documented() | {p.stem: p.read_text() for p in (Path(__file__).parent / "programs").glob("*.dsl")}
COMPOSED = Path(__file__).parents[1] / "tools" / "compose" / "programs"
F32 = ElementType(fixed=DType.FLOAT32)
n, m = Name(id="n"), Name(id="m")


def kernel(*body: Stmt, doc: str = "") -> Kernel:
    params = (("g", "tensor"), ("y", "tensor"), ("gs", "list"), ("n", "int"), ("m", "int"))
    t = Alloc(tile="t", dims=(Const(value=8),), dtype=F32)
    declared = tuple(KernelParam.model_validate({"name": p, "type": k}) for p, k in params)
    return Kernel(name="k", doc=doc, params=declared, body=(t, *body))


def host(*body: Stmt) -> Host:
    kinds = {
        "x": "input",
        "xs": "dynamic",
        "y": "output",
        "n": "int",
        "m": "int",
        "s": "str",
        "ks": "list_int",
    }
    args = tuple(Name(id=a) for a in ("x", "y", "xs", "n", "m"))
    return Host(
        name="h", doc="", body=(*body, Launch(kernel="k", key=1, cores=Const(value=1), args=args)),
        params=tuple(HostParam.model_validate({"name": p, "kind": k}) for p, k in kinds.items()),
    )  # fmt: skip


def read_back(kernel_: Kernel, host_: Host) -> None:
    program = printed((kernel_,), host_)
    again = parse(program.text)
    assert again == program, program.text
    assert printed(again.kernels, again.host).text == program.text


def negated(e: Expr) -> Expr:
    """Return -e in the parser's form: of a number it makes a number."""
    if isinstance(e, Const) and not str(e.value).startswith("-"):
        return Const(value=-e.value)
    return Unary(op="-", operand=e)


values = st.one_of(st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False))
numbers = values.map(lambda v: Const(value=v))
TEXT = st.text(st.characters(codec="utf-8"))


def operators(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    ops = st.sampled_from(["+", "-", "*", "/", "//", "%", "and", "or", *sorted(COMPARISONS)])
    calls = st.builds(
        lambda f, a, b: Func(name=f, args=(a, b)), st.sampled_from(["min", "max", "ceil_div"]), inner, inner
    )
    return st.one_of(
        st.builds(lambda op, a, b: Binary(op=op, left=a, right=b), ops, inner, inner),
        inner.map(negated),
        inner.map(lambda e: Unary(op="not", operand=e)),
        st.builds(lambda c, a, b: Choice(cond=c, then=a, other=b), inner, inner, inner),
        calls,
    )


names = st.sampled_from([n, m])
optional = st.none() | names | numbers
in_kernel = st.recursive(
    st.one_of(
        numbers, names, st.just(Func(name="program_id", args=())), st.just(ListLength(tensor="gs")),
    ),
    lambda inner: operators(inner)
    | inner.map(lambda i: Element(tile="t", index=i))
    | inner.map(lambda i: Read(tensor="g", index=i))
    | inner.map(lambda i: ListNumel(tensor="gs", index=i))
    | st.builds(lambda i, k: Read(tensor="gs", index=i, item=k), inner, inner),
    max_leaves=12,
)  # fmt: skip
in_host = st.recursive(
    st.one_of(
        numbers, names, TEXT.map(lambda v: TextTest(attr="s", text=v)),
        st.sampled_from(DType).map(lambda d: DTypeTest(tensor="x", dtype=d)),
        st.just(Property(tensor="x", name="numel")), st.just(Func(name="len", args=(Name(id="ks"),))),
    ),
    lambda inner: operators(inner)
    | inner.map(lambda i: Dim(tensor="x", index=i))
    | inner.map(lambda i: Item(attr="ks", index=i))
    | st.builds(lambda a, b: DimProduct(tensor="x", start=a, stop=b), st.none() | inner, st.none() | inner)
    | inner.map(lambda v: Fit(kernel="k", param="n", dims=(("m", v),))),
    max_leaves=12,
)  # fmt: skip


def nested(inner: st.SearchStrategy[tuple[Stmt, ...]]) -> st.SearchStrategy[tuple[Stmt, ...]]:
    bound = names | numbers
    one = st.one_of(
        st.builds(
            lambda a, b, c, body: For(var="i", start=a, stop=b, step=c, body=body), bound, bound, bound, inner
        ),
        st.builds(lambda c, then, other: If(cond=c, then=then, other=other), in_kernel, inner, inner),
        inner.map(lambda body: Block(stage="compute", body=body)),
    )  # fmt: skip
    return st.lists(one, max_size=3).map(tuple)


def without_inner_blocks(body: tuple[Stmt, ...], *, inside: bool = False) -> tuple[Stmt, ...]:
    """Return the statements with blocks that stand in blocks replaced by what they hold."""
    found: list[Stmt] = []
    for s in body:
        match s:
            case Block() if inside:
                found += without_inner_blocks(s.body, inside=True)
            case Block() | For():
                block = inside or isinstance(s, Block)
                found.append(s.model_copy(update={"body": without_inner_blocks(s.body, inside=block)}))
            case If():
                branches = {
                    k: without_inner_blocks(b, inside=inside)
                    for k, b in (("then", s.then), ("other", s.other))
                }
                found.append(s.model_copy(update=branches))
            case _:
                found.append(s)
    return tuple(found)


@settings(deadline=None)
@given(in_kernel)
def test_an_expression_of_a_kernel_is_read_back(e: Expr) -> None:
    read_back(kernel(Assign(name="v", value=e)), host())


@pytest.mark.slow
@settings(deadline=None)
@given(in_host, optional, optional)
def test_an_expression_of_the_host_function_is_read_back(
    e: Expr, start: Expr | None, stop: Expr | None
) -> None:
    parts = (
        DimSlice(tensor="x", start=start, stop=stop),
        DimList(dims=(e,)),
        DimList(dims=()),
        DimList(dims=(e, e)),
    )
    declared = Declare(output="y", parts=parts, dtype=ElementType(of="x"))
    read_back(
        kernel(), host(declared, Assign(name="v", value=e), If(cond=e, then=(Assert(cond=e, text="no"),)))
    )


@settings(deadline=None)
@given(st.recursive(st.just((Assign(name="v", value=n),)), nested, max_leaves=8))
def test_nested_statements_are_read_back_with_their_lines(body: tuple[Stmt, ...]) -> None:
    read_back(kernel(*without_inner_blocks(body)), host())


@settings(deadline=None)
@given(in_kernel, in_kernel)
def test_operands_of_transfers_and_operations_are_read_back(a: Expr, b: Expr) -> None:
    fill = Op(name="fill", dst="t", args=(a,), given=(a, b))
    add = Op(name="add", dst="t", args=(TileRef(tile="t", view="row"), a))
    folded = Op(name="reduce_sum", dst="t", args=(TileRef(tile="t"),), axis="all")
    cast = Op(name="cast", dst="t", args=(TileRef(tile="t"),), rounding="floor")
    read_back(
        kernel(
            Block(
                stage="copyin", body=(Load(tile="t", tensor="gs", item=a, offset=b, extent=(a, b), stride=b),)
            ),
            Block(stage="compute", body=(fill, add, folded, cast)),
            Block(stage="copyout", body=(Store(tensor="y", offset=a, tile="t", stride=b),)),
        ),
        host(),
    )


@settings(deadline=None)
@given(TEXT, TEXT)
def test_texts_in_quotes_are_read_back(text: str, default: str) -> None:
    asserted = host(Assert(cond=n, text=text))
    params = (*asserted.params, HostParam(name="word", kind="str", default=default))
    read_back(kernel(), asserted.model_copy(update={"params": params}))


@pytest.mark.parametrize("doc", ['say "it"', "a \\ b", 'two\n\n  """lines"""\nend', '"', "plain\nend\\"])
def test_a_docstring_is_read_back(doc: str) -> None:
    read_back(kernel(doc=doc), host())


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (Binary(op="-", left=n, right=Binary(op="-", left=n, right=m)), "n - (n - m)"),
        (Binary(op="-", left=Binary(op="-", left=n, right=m), right=m), "n - m - m"),
        (Binary(op="*", left=Binary(op="+", left=n, right=m), right=m), "(n + m) * m"),
        (Binary(op="+", left=Binary(op="*", left=n, right=m), right=m), "n * m + m"),
        (Binary(op="<", left=Binary(op="<", left=n, right=m), right=m), "(n < m) < m"),
        (Binary(op="and", left=Binary(op="or", left=n, right=m), right=m), "(n or m) and m"),
        (Unary(op="-", operand=Binary(op="*", left=n, right=m)), "-(n * m)"),
        (Binary(op="*", left=Unary(op="-", operand=n), right=m), "-n * m"),
        (Choice(cond=n, then=m, other=Choice(cond=n, then=m, other=n)), "m if n else m if n else n"),
    ],
)  # fmt: skip
def test_parentheses_stand_where_the_tree_needs_them(e: Expr, text: str) -> None:
    assert show(e) == text


@pytest.mark.parametrize("name", sampled(sorted(PROGRAMS), 3))
def test_a_written_program_is_printed_and_read_back(name: str) -> None:
    program = parse(PROGRAMS[name])
    read = printed(program.kernels, program.host)
    assert parse(read.text) == read
    assert without_lines(read) == without_lines(program)


def without_lines(program: Program) -> str:
    return show_lines(program.model_dump(exclude={"text"}))


def show_lines(value: object) -> str:
    if isinstance(value, dict):
        return repr({k: show_lines(v) for k, v in value.items() if k != "line"})
    return repr([show_lines(v) for v in value]) if isinstance(value, tuple) else repr(value)


@pytest.mark.parametrize("path", sorted(COMPOSED.glob("*.dsl")), ids=lambda p: p.stem)
def test_a_composed_program_is_printed_letter_by_letter(path: Path) -> None:
    program = parse(path.read_text())
    assert printed(program.kernels, program.host) == program
