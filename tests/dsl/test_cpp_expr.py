"""Expressions as C++ have the parentheses that they need and no others."""

from hypothesis import given, settings
from hypothesis import strategies as st

from akgen.tools.dsl.cpp_expr import CppExpr
from akgen.tools.dsl.expr import Binary, Choice, Const, Expr, Func, Name, binary

PRINTER = CppExpr(lambda name: name, lambda _: "int", str, host=True)
NUMBERS = st.integers(1, 9).map(lambda n: Const(value=n))
SUMS: st.SearchStrategy[Expr] = st.recursive(
    NUMBERS,
    lambda inner: st.builds(Binary, op=st.sampled_from(["+", "-", "*", "//", "%"]), left=inner, right=inner),
    max_leaves=12,
)
TESTS: st.SearchStrategy[Expr] = st.recursive(
    st.builds(Binary, op=st.sampled_from(["<", "<=", "==", "!="]), left=SUMS, right=SUMS),
    lambda inner: st.builds(Binary, op=st.sampled_from(["and", "or"]), left=inner, right=inner),
    max_leaves=4,
)


def grouped(e: Expr) -> str:
    """Return the expression with every operation in parentheses."""
    return f"({grouped(e.left)} {e.op} {grouped(e.right)})" if isinstance(e, Binary) else PRINTER.text(e)


def value(text: str) -> int | str:
    try:
        return int(eval(text))
    except ZeroDivisionError:
        return "none"


@given(st.one_of(SUMS, TESTS))
@settings(max_examples=200, deadline=None)
def test_an_expression_means_the_same_without_the_parentheses_left_out(e: Expr) -> None:
    text = PRINTER.text(e).replace("/", "//").replace("&&", "and").replace("||", "or")
    assert value(text) == value(grouped(e))


A, B, C = (Name(id=n) for n in "abc")


def test_parentheses_stand_where_a_reader_needs_them() -> None:
    texts = {
        "a * b * c": binary("*", binary("*", A, B), C),
        "a * (b * c)": binary("*", A, binary("*", B, C)),
        "a / b + c": binary("+", binary("//", A, B), C),
        "(a / b) * c": binary("*", binary("//", A, B), C),
        "a - (b - c)": binary("-", A, binary("-", B, C)),
        "a + 1 < b * c": binary("<", binary("+", A, 1), binary("*", B, C)),
        "(a < b && b < c) || a == c": binary(
            "or", binary("and", binary("<", A, B), binary("<", B, C)), binary("==", A, C)
        ),
        "a < b ? a + 1 : (b < c ? b : c)": Choice(
            cond=binary("<", A, B),
            then=binary("+", A, 1),
            other=Choice(cond=binary("<", B, C), then=B, other=C),
        ),
        "std::min<int64_t>({a, b, c})": Func(name="min", args=(Func(name="min", args=(A, B)), C)),
    }
    assert {PRINTER.text(e) for e in texts.values()} == set(texts)
