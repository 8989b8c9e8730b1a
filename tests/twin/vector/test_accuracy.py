"""Each instruction gives what the chip gives: estimates where pages print estimates, IEEE at the ends of the range."""

from typing import Any

import numpy as np
import pytest

from akgen.knowledge.cards import cards

Array = np.ndarray[Any, Any]
INF, NAN = np.inf, np.nan
COMPUTING = {"vector binary", "vector unary", "vector scalar", "conversion"}


def _exp_of_tiny() -> Array:
    return np.exp(np.float64([-90.0, -100.0, -104.5])).astype(np.float32)


TABLE = [
    # The pages' examples of vec_rec and vec_rsqrt, and what a 910B gave for 0.6919.
    ("Reciprocal", "float32", [1.2017815, -8.758528, -1.3599057], [0.83203125, -0.11401367, -0.734375]),
    ("Reciprocal", "float32", [1.44535], [0.69140625]),
    ("Reciprocal", "float32", [0.0, -0.0, INF, -INF, NAN], [INF, -INF, 0.0, -0.0, NAN]),
    ("Reciprocal", "float32", [2.0**-130, 2.0**127], [INF, 511 / 512 * 2.0**-127]),
    ("Reciprocal", "float16", [1.0, 2.0, 3.0], [511 / 512, 511 / 1024, 0.3330078125]),
    ("Rsqrt", "float32", [1.0, 2.0, 3.0, 4.0, 128.0], [511 / 512, 361 / 512, 295 / 512, 511 / 1024, 0.088134765625]),
    ("Rsqrt", "float32", [0.0, -1.0, INF, NAN], [INF, NAN, 0.0, NAN]),
    ("Rsqrt", "float32", [2.0**-130], [511 / 512 * 2.0**65]),
    ("Rsqrt", "float16", [1.0, 4.0], [511 / 512, 511 / 1024]),
    ("Exp", "float32", [88.9, -90.0, -100.0, -104.5, INF, -INF, NAN], [INF, *_exp_of_tiny(), INF, 0.0, NAN]),
    ("Exp", "float16", [11.1, -17.5, 0.0], [INF, 0.0, 1.0]),
    ("Ln", "float32", [0.0, -1.0, 2.0**-149, INF, NAN], [-INF, NAN, np.log(2.0**-149), INF, NAN]),
    ("Ln", "float16", [0.0, -1.0, 2.0**-24], [-INF, NAN, np.log(2.0**-24)]),
    ("Sqrt", "float32", [2.0**-149, -0.0, -1.0], [np.sqrt(2.0**-149), -0.0, NAN]),
]  # fmt: skip


@pytest.fixture(scope="module")
def measured(bench: Any, case: Any, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Array]]:
    cases = []
    for number, (api, dtype, source, result) in enumerate(TABLE):
        x, want = np.array(source, dtype), np.array(result, np.float64).astype(dtype)
        rtol = {"float16": 1e-3, "float32": 3e-7}[dtype] if api in ("Exp", "Ln") else 0.0
        code = f"{api}(out, a, {len(x)});"
        cases.append(case(f"{number}", code, (x,), np.zeros_like(x), want, rtol))
    n, x = 64, np.linspace(0.001, 3.0, 64, dtype=np.float16)
    chain = (x * np.float16(3.0)).astype(np.float16) + np.float16(1024.0)
    half = "Muls(out, a, (half)3.0f, 64); Adds(out, out, (half)1024.0f, 64);"
    cases.append(case("chain", half, (x,), np.zeros(n, np.float16), chain.astype(np.float16)))
    y = np.linspace(0.6, 9.0, 64, dtype=np.float32)
    newton = "Reciprocal(out, a, 64); Mul(a, a, out, 64); Muls(a, a, -1.0f, 64); Adds(a, a, 2.0f, 64);"
    cases.append(case("newton", newton + "Mul(out, out, a, 64);", (y,), np.zeros_like(y), 1 / y, 1e-5))
    quotient = np.float32(1) / y
    cases.append(case("div", "Div(out, b, a, 64);", (y, np.ones_like(y)), np.zeros_like(y), quotient))
    results = bench.run(cases, tmp_path_factory.mktemp("accuracy"))
    return [(c, results[c.name]) for c in cases]


def test_pages_examples_and_the_ends_of_the_range_come_out(measured: list[tuple[Any, Array]]) -> None:
    for c, got in measured[: len(TABLE)]:
        c.check(got)


def test_chains_of_half_round_after_each_instruction(measured: list[tuple[Any, Array]]) -> None:
    c, got = measured[-3]
    c.check(got)


def test_a_newton_step_makes_a_float_of_the_estimate(measured: list[tuple[Any, Array]]) -> None:
    c, got = measured[-2]
    c.check(got)


def test_division_is_rounded_once(measured: list[tuple[Any, Array]]) -> None:
    c, got = measured[-1]
    c.check(got)


def test_every_instruction_that_computes_says_its_accuracy_and_where_it_is_documented() -> None:
    silent = [
        card.name
        for card in cards().values()
        if card.family in COMPUTING and not (card.accuracy and card.accuracy_source)
    ]
    assert not silent
