"""What `blank` leaves of a text: everything but comments and literals, character for character."""

import pytest

from akgen.tools.judge.source_filter import blank


def spaces(count: int) -> str:
    return " " * count


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("", ""),
        ("int a;\n", "int a;\n"),
        ("a//b\nc", "a   \nc"),
        ("a//b", "a   "),
        ("//\nb", "  \nb"),
        ("a//b /* c\nd", f"a{spaces(8)}\nd"),
        ("a/*b*/c", f"a{spaces(5)}c"),
        ("a/*b\nc*/d", "a   \n   d"),
        ("a/**/b/***/c", f"a{spaces(4)}b{spaces(5)}c"),
        ("/*/a*/b", f"{spaces(6)}b"),
        ("a/*b", "a   "),
        ("a / b * c", "a / b * c"),
    ],
)
def test_a_comment_becomes_spaces_and_its_line_ends_stay(text: str, bare: str) -> None:
    assert blank(text) == bare
    assert blank(text, strings=False) == bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('a"b"c', "a   c"),
        ('a""c', "a  c"),
        ("a 'b' c", "a     c"),
        ('a"\'"b"\'"c', f"a{spaces(3)}b{spaces(3)}c"),
        (r'a"\""c', f"a{spaces(4)}c"),
        (r'a"\\"c', f"a{spaces(4)}c"),
        (r"= '\'' c", f"= {spaces(4)} c"),
        ('a"b//c"d', f"a{spaces(6)}d"),
        ('a"b/*c"d/*e"*/f', f"a{spaces(6)}d{spaces(6)}f"),
        ('a"b\nc"d\ne', "a  \nc  \ne"),
        ('"a', "  "),
    ],
)
def test_a_literal_becomes_spaces_unless_literals_stay(text: str, bare: str) -> None:
    assert blank(text) == bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('R"(a)"b', f"{spaces(6)}b"),
        ('R"(a"b)"c', f"{spaces(8)}c"),
        ('R"x(a)"b)x"c', f"{spaces(11)}c"),
        ('a R"(b\n)" c', f"a {spaces(4)}\n{spaces(2)} c"),
        ('u8R"(a//)"b', f"{spaces(10)}b"),
        ('uR"(\\)"b', f"{spaces(7)}b"),
        ('UR"(a)"b LR"(a)"b', f"{spaces(7)}b {spaces(7)}b"),
        ('R"(a', spaces(4)),
        ('xR"(a)"b', f"xR{spaces(5)}b"),  # an identifier and an ordinary literal
        ('_R"(a"b', f"_R{spaces(4)}b"),
        ('R"a b("c', f"{spaces(7)}c"),  # no raw literal: a space in its delimiter
        ('R"abcdefghijklmnop(a"b)abcdefghijklmnop"c', f"{spaces(40)}c"),
        ('R"abcdefghijklmnopq(a"b', f"{spaces(22)}b"),  # a delimiter too long
    ],
)
def test_a_raw_literal_ends_with_its_own_delimiter(text: str, bare: str) -> None:
    assert blank(text) == bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("1'000 'x'", "1'000    "),
        ("0x'FF_a'b", "0x'FF_a'b"),
        ("x = 1'0", "x = 1'0"),
        ("u'x' U'x' L'x' u8'x'", "u    U    L    u8   "),
        (f"{'1' * 40}'1", f"{'1' * 40}'1"),
        (f"{'1' * 31}u8'1", f"{'1' * 31}u8'1"),
        ("+'x'+'y'", "+   +   "),
    ],
)
def test_a_quote_between_digits_opens_no_literal(text: str, bare: str) -> None:
    assert blank(text) == bare


def test_with_literals_kept_only_comments_go() -> None:
    text = '\'/*\' "//" R"(/*\n)" 1\'0 /*\'*/ a //"\n"b"'
    assert blank(text, strings=False) == '\'/*\' "//" R"(/*\n)" 1\'0       a    \n"b"'
