"""Every rule of tests/twin/corpus/rules.py: a call that breaks it is told, a call that keeps it is not."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.twin.toolchain import TwinToolchain
from akgen.tools.twin.unit_test import KernelCall, UnitTest, run_unit_test
from tests.twin.corpus.rules import CUBE, RulePair, forms, rule_pairs

PAIRS = rule_pairs()
LAUNCHED = [p for p in PAIRS if p.rule != "dtype"]
PROGRAM = Path(__file__).parents[1] / "corpus" / "rules.cpp"
MOST_FINDINGS = 5  # of one compile
HEAD = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)
{
    LocalTensor<uint8_t> tmp;
"""


@pytest.fixture(scope="module")
def told(twin: TwinToolchain, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], KernelCall]:
    """What each call was told, by its text and type. One program runs them all, each as a kernel of its own."""
    folder = tmp_path_factory.mktemp("rules")
    calls = list(dict.fromkeys((call, p.dtype) for p in LAUNCHED for call in (p.breaking, p.keeping)))
    kernels = [
        f"void call{i}(GM_ADDR x, GM_ADDR y) {{ {_operands(dtype)} {{ {call} }} }}"
        for i, (call, dtype) in enumerate(calls)
    ]
    runs = [  # marks of the cores begin as zeros
        f"{_mode(dtype)} std::fill_n(y, 16 * 1024, 0); ICPU_RUN_KF(call{i}, 1, x, y);"
        for i, (_, dtype) in enumerate(calls)
    ]
    text = PROGRAM.read_text().replace("// CALLS", "\n".join(kernels)).replace("// RUNS", "\n    ".join(runs))
    source = folder / "rules.cpp"
    source.write_text(text)
    test = UnitTest(sources=(source,), folder=folder, options=("-O0",))
    done = run_unit_test(test, twin.runtime, twin.chip_file, folder / "build")
    assert done.built and len(done.kernels) == len(calls), (done.diagnostics, done.errors[-2000:])
    first = text.splitlines().index(kernels[0]) + 1
    for i, kernel in enumerate(done.kernels):
        assert {d.line for d in kernel.diagnostics} <= {first + i, None}, kernel
    return dict(zip(calls, done.kernels, strict=True))


def _operands(dtype: str) -> str:
    return f"{'CUBE_' if dtype.startswith(CUBE) else ''}OPERANDS({dtype.removeprefix(CUBE)})"


def _mode(dtype: str) -> str:
    return f"SetKernelMode(KernelMode::{'AIC' if dtype.startswith(CUBE) else 'AIV'}_MODE);"


@pytest.mark.parametrize("number", range(len(LAUNCHED)), ids=[p.name for p in LAUNCHED])
def test_what_breaks_a_rule_is_told(told: Any, number: int) -> None:
    pair = LAUNCHED[number]
    found = told[pair.breaking, pair.dtype].diagnostics
    assert (pair.code, pair.severity) in [(d.code, d.severity) for d in found], found


def test_what_keeps_the_rules_is_not_told(told: Any) -> None:
    wrong = {p.keeping: d for p in LAUNCHED if (d := told[p.keeping, p.dtype].diagnostics)}
    assert not wrong, wrong


def _call(pair: RulePair) -> str:
    return f"    {{ LocalTensor<{pair.dtype}> a, b, c, out; {pair.breaking} }}\n"


OF_TYPES = [p for p in PAIRS if p.rule == "dtype"]


@pytest.mark.parametrize("first", range(0, len(OF_TYPES), MOST_FINDINGS))
def test_types_that_an_api_does_not_take_are_told(bench: Any, first: int) -> None:
    some = OF_TYPES[first : first + MOST_FINDINGS]
    built = bench.build(HEAD + "".join(map(_call, some)) + "}\n")
    assert built.library is None
    lines = [len(HEAD.splitlines()) + 1 + i for i in range(len(some))]
    found = {d.line: d.code for d in built.diagnostics}
    assert found == dict.fromkeys(lines, "DTYPE_UNSUPPORTED"), built.diagnostics


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
    counted = Counter(p.rule for p in PAIRS)
    assert counted["alignment"] >= 210 and counted["scratch"] >= 65 and counted["dtype"] >= 80
    assert counted["overlap"] >= 100 and counted["mask"] >= 35 and counted["range"] >= 40
    assert len({p.api for p in PAIRS}) >= 200
