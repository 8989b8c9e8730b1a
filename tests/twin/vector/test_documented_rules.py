"""Every rule of tests/twin/corpus/rules.py: a call that breaks it is told, a call that keeps it is not."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.toolchain import Launch
from tests.twin.corpus.rules import COUNT, RulePair, forms, rule_pairs

PAIRS = rule_pairs()
LAUNCHED = [p for p in PAIRS if p.rule != "dtype"]
NUMPY = {"half": "float16", "float": "float32"}
MOST_FINDINGS = 5  # of one compile
HEAD = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)
{
    LocalTensor<uint8_t> tmp;
"""


def _dtype(name: str) -> str:
    return NUMPY.get(name, name.removesuffix("_t"))


@pytest.fixture(scope="module")
def launched(bench: Any, case: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A kernel with every breaking call; it launches the one with the number."""
    cases = [_case(case, p, p.breaking) for p in LAUNCHED]
    folder = tmp_path_factory.mktemp("breaking")
    yield lambda number: bench.launch(cases, folder / str(number), only=number)


def _case(case: Any, pair: RulePair, code: str) -> Any:
    x = np.linspace(0.25, 0.75, COUNT + 32).astype(_dtype(pair.dtype))
    return case(f"{pair.name} {code}", code, (x, x, x), x, x)


@pytest.mark.parametrize("number", range(len(LAUNCHED)), ids=[p.name for p in LAUNCHED])
def test_what_breaks_a_rule_is_told(launched: Any, number: int) -> None:
    done: Launch = launched(number)
    assert LAUNCHED[number].code in [d.code for d in done.diagnostics], done.diagnostics


def test_what_keeps_the_rules_is_not_told(bench: Any, case: Any, tmp_path: Path) -> None:
    by_call = {(p.keeping, p.dtype): p for p in LAUNCHED}
    done = bench.launch([_case(case, p, p.keeping) for p in by_call.values()], tmp_path)
    assert (done.outcome, done.diagnostics) == (None, ())


def _call(pair: RulePair) -> str:
    return f"    {{ LocalTensor<{pair.dtype}> a, b, c, out; {pair.breaking} }}\n"


OF_TYPES = [p for p in PAIRS if p.rule == "dtype"]


@pytest.mark.parametrize("first", range(0, len(OF_TYPES), MOST_FINDINGS))
def test_types_that_an_api_does_not_take_are_told(bench: Any, first: int) -> None:
    some = OF_TYPES[first : first + MOST_FINDINGS]
    built = bench.build(HEAD + "".join(map(_call, some)) + "}\n")
    assert built.library is None
    lines = [len(HEAD.splitlines()) + 1 + i for i in range(len(some))]
    told = {d.line: d.code for d in built.diagnostics}
    assert told == dict.fromkeys(lines, "DTYPE_UNSUPPORTED"), built.diagnostics


def test_types_that_an_api_takes_compile(bench: Any) -> None:
    """Each form with each of its types."""
    lines = [
        f"    {{ LocalTensor<{dtype}> a, b, c, out; {form.call(t=dtype)} }}\n"
        for form in forms()
        for dtype in form.dtypes
    ]
    built = bench.build(HEAD + "".join(lines) + "}\n")
    assert built.library is not None, built.diagnostics


def test_the_rules_cover_the_apis_that_have_them() -> None:
    """By the count, which `python -m tests.twin.corpus.rules` prints."""
    counted = {rule: len(list(some)) for rule, some in groupby(sorted(p.rule for p in PAIRS))}
    assert counted["alignment"] >= 170 and counted["scratch"] >= 60 and counted["dtype"] >= 80
    assert len({p.api for p in PAIRS}) >= 80
