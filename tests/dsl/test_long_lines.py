"""Long lines of lowered C++ are broken where they read on, and nothing else of them changes."""

import re

import pytest

from akgen.tools.dsl.template import WIDTH, broken

CALL = f"    Tile({', '.join(f'argument{n}[row * {n} + (column + 1)]' for n in range(9))});"
SUM = f"    const int64_t size = {' + '.join(f'Count(rows{n}, columns{n})' for n in range(9))};"
LOOP = f"    for (int64_t i = {' * '.join(['firstRowOfTheTile'] * 3)}; i < {' + '.join(['countOfRows'] * 6)}; ++i) {{"


@pytest.mark.parametrize("line", [CALL, SUM, LOOP], ids=["call", "sum", "loop"])
def test_each_part_fits_and_is_indented_and_the_words_stay(line: str) -> None:
    parts = broken(line).split("\n")
    assert len(parts) > 1 and all(len(p) <= WIDTH for p in parts)
    assert all(p.startswith("        ") and p == p.rstrip() for p in parts[1:])
    assert re.sub(r"\s", "", broken(line)) == re.sub(r"\s", "", line)


def test_outer_places_come_before_inner_ones() -> None:
    first, second = broken(
        f"    Outer(Inner({', '.join(['inner'] * 12)}), Second({', '.join(['last'] * 9)}));"
    ).split("\n")
    assert first.endswith("inner),") and second.strip().startswith("Second(")


def test_operators_lead_the_next_line_and_commas_end_this_one() -> None:
    assert all(p.strip().startswith("+ ") for p in broken(SUM).split("\n")[1:])
    assert all(p.endswith(",") for p in broken(CALL).split("\n")[:-1])


@pytest.mark.parametrize(
    "line",
    [
        f"#define NAME {'x, ' * 60}y",
        f"    Field(a, b); // {'what it is set to, ' * 9}",
        f'    Said("{"a, b + c, " * 20}");',
        "    short();",
    ],
    ids=["directive", "code with a comment", "text", "short"],
)
def test_what_must_not_be_broken_stays(line: str) -> None:
    assert broken(line) == line


def test_a_long_comment_goes_on_in_the_next_line() -> None:
    parts = broken("    // " + "words " * 40 + "end").split("\n")
    assert all(p.startswith("    // words") and len(p) <= WIDTH for p in parts[:-1]) and parts[-1].endswith(
        "end"
    )
