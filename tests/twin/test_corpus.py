"""Every fault of the corpus is caught with the right code on the right line; its correct sibling raises no alarm.

So it is with either compiler.
"""

import importlib.util
import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled
from tests.twin.compilers import COMPILERS, WARNINGS_OF_KERNELS


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "corpus_pairs", Path(__file__).with_name("corpus") / "pairs.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["corpus_pairs"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=COMPILERS)
def twin(request: pytest.FixtureRequest) -> TwinToolchain:
    """A toolchain that waits less than usual for a tiling function that does not end."""
    return _toolchain(request.param, ())


@pytest.fixture(scope="module", params=COMPILERS)
def strict(request: pytest.FixtureRequest) -> TwinToolchain:
    """The same, and to this one a warning of the compiler is an error."""
    return _toolchain(request.param, WARNINGS_OF_KERNELS)


def _toolchain(compiler: str | None, flags: tuple[str, ...]) -> TwinToolchain:
    cache = user_cache(os.environ)
    settings = TwinSettings(cache=cache, tiling_timeout_s=4.0, compiler=compiler, kernel_flags=flags)
    toolchain = TwinToolchain(settings)
    toolchain.prepare(print)
    return toolchain


PAIRS = _load()
ALL = PAIRS.read_pairs()


@pytest.mark.parametrize("pair", sampled(ALL, 5, whole=True), ids=lambda p: p.name)
def test_the_fault_is_told_at_its_line(twin: TwinToolchain, tmp_path: Path, pair: Any) -> None:
    ended = PAIRS.run(twin, pair, pair.faulty, tmp_path / "faulty")
    assert {(d.code, d.severity) for d in ended.diagnostics} == {(pair.code, pair.severity)}, (
        ended.diagnostics
    )
    assert (ended.outcome is None) == (pair.severity == "warning")
    found = ended.diagnostics[0]
    if pair.lines:
        assert (found.file, found.line) in pair.lines, ended.diagnostics
    else:
        assert found.line is None, found


@pytest.mark.parametrize("pair", sampled(ALL, 5, whole=True), ids=lambda p: p.name)
def test_the_correct_sibling_raises_no_alarm_and_does_the_same_again(
    strict: TwinToolchain, tmp_path: Path, pair: Any
) -> None:
    first, second = PAIRS.run_twice(strict, pair, pair.correct, tmp_path / "correct")
    assert (first.outcome, first.diagnostics) == (None, ())
    want = pair.want()
    tolerance = 1e-2 if want.dtype == np.float16 else 1e-5
    np.testing.assert_allclose(first.y, want, rtol=tolerance, atol=tolerance)
    assert first.y.tobytes() == second.y.tobytes()
    assert second.diagnostics == ()
    one, other = first.launch.profile, second.launch.profile
    assert one.model_copy(update={"trace": None}) == other.model_copy(update={"trace": None})
    assert one.trace.read_bytes() == other.trace.read_bytes()


def test_every_check_has_two_pairs() -> None:
    counted = Counter(p.code for p in ALL)
    assert not {code: n for code, n in counted.items() if n < 2}
    assert len(ALL) >= 80
