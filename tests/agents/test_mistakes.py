"""The first finding about a mistake names its cause and the remedy: mistakes of meaning in kernels, hosts and programs.

`make mistakes` measures all of them; a few stand for each way in which they are found.
"""

import os
import sys
from pathlib import Path

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

sys.path.insert(0, str(Path(__file__).parent / "mistakes"))
from mistakes import Mistake, read_mistakes, source_of, task_of, told_of, verdict_on

NAMED = 0.9  # share of the mistakes
SOME = (
    "eps outside of the root",
    "one of the window's elements left out",
    "workspace forgotten",
    "eps forgotten in the program",
)


@pytest.mark.parametrize("name", sampled(SOME, 2))
def test_the_first_finding_names_cause_and_remedy(
    name: str, twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    mistake = next(m for m in read_mistakes() if m.name == name)
    told = told_of(mistake, Judge(twin, reference), tmp_path)
    assert told is not None and told.cause and told.remedy, told


@pytest.mark.slow
@pytest.mark.skipif("AKGEN_MISTAKES" not in os.environ, reason="`make mistakes` measures them")
def test_of_all_mistakes_nine_tenths_are_named(
    twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    judge = Judge(twin, reference)
    for base in sorted({m.base for m in read_mistakes()}):
        verdict = verdict_on(judge, source_of(base), task_of(base), tmp_path / base)
        assert verdict.outcome is Outcome.CORRECT, (base, verdict.why())
    missed: list[tuple[Mistake, str]] = []
    for n, mistake in enumerate(read_mistakes()):
        told = told_of(mistake, judge, tmp_path / str(n))
        if told is None or not (told.cause and told.remedy):
            missed.append((mistake, "nobody notices it" if told is None else told.text))
    every = len(read_mistakes())
    for mistake, text in missed:
        print(f"\n{mistake.base}, {mistake.name}: {text}")
    print(f"\nnamed: {every - len(missed)} of {every}")
    assert every - len(missed) >= NAMED * every
