"""Deliberate mistakes in numbers go through a trial; the judge names the cause, or says that it knows none.

`pytest tests/tools/judge/test_causes.py -s` prints the table: one line for each mistake, and the counts.
"""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.toolchain import Build, Launch
from akgen.tools.core.verdict import Mismatch
from akgen.tools.judge.causes.evidence import read
from akgen.tools.judge.trial import KernelUnderTest, TrialResult, run_trial
from akgen.tools.judge.trials import Prepared, TrialPlan
from akgen.tools.reference.client import SampleFiles
from tests.reference_process import reference_process
from tests.tools.judge.mistakes import MISTAKES, Made, Mistake
from tests.tools.judge.mistakes_held_out import HELD_OUT
from tests.tools.judge.mistakes_later import LATER
from tests.tools.judge.mistakes_unnamed import UNNAMED

Judged = Callable[[Made], Mismatch]


@pytest.fixture
def judged(tmp_path: Path, function_toolchain: Callable[..., Any]) -> Judged:
    """Judge one trial of a kernel that writes what the mistake made; return the mismatch."""

    numbers = itertools.count()

    def store(name: str, array: Any) -> TensorFile:
        path = tmp_path / name
        np.ascontiguousarray(array).tofile(path)
        return TensorFile(dtype=DType(array.dtype.name), shape=array.shape, path=path)

    def judge(made: Made) -> Mismatch:
        dtypes = [got.dtype for got in made.gots]
        metas = [
            TensorMeta(dtype=DType(d.name), shape=w.shape) for d, w in zip(dtypes, made.wants, strict=True)
        ]
        with np.errstate(all="ignore"):
            own = tuple(store(f"own{i}", w.astype(dtypes[i])) for i, w in enumerate(made.wants))
        call = Call(
            inputs=tuple(store(f"in{i}", x) for i, x in enumerate(made.inputs)),
            outputs=tuple(OutputMeta(meta=m) for m in metas),
        )
        expected = tuple(store(f"want{i}", w) for i, w in enumerate(made.wants))
        task = Task(
            name="mistaken", suite="file", category="other", op_type="M", kernel="m",
            reference=Reference(loader="none", path=tmp_path), cases=(Case(id="0"),),
        )  # fmt: skip
        build = Build(toolchain="function 1", outcome=None, op=None, folder=tmp_path, compile_s=0.0)
        toolchain = function_toolchain(lambda _inputs, _folder: made.gots)
        under_test = KernelUnderTest(toolchain, reference_process(), build, task, 60.0)
        launched = tmp_path / f"launched{next(numbers)}"
        prepared = Prepared(launched, tmp_path, SampleFiles(call=call, expected=expected, returned=own))
        earlier = None
        if made.before is not None:
            earlier = TrialResult(Outcome.CORRECT, Launch(outcome=None, outputs=()))
            earlier.expected[0, 0] = read(store("before", made.before))
        plan = TrialPlan(1, 1, "task")
        result = run_trial(under_test, task.cases[0], plan, prepared, earlier, again=False, trace=False)
        assert result.outcome == Outcome.WRONG and result.mismatch is not None
        assert result.mismatch.explanation.rstrip(".") in result.diagnostics[0].text.replace("Cause", "cause")
        return result.mismatch

    return judge


class Answer(NamedTuple):
    mistake: Mistake
    mismatch: Mismatch

    @property
    def named(self) -> bool:
        return self.mismatch.cause in self.mistake.causes and all(
            word in self.mismatch.what for word in self.mistake.says
        )

    @property
    def line(self) -> str:
        verdict = "named" if self.named else "unknown" if self.mismatch.cause == "unknown" else "WRONG"
        name = self.mistake.name.replace("_", " ")
        return f"{verdict:8}{name:56}{self.mismatch.explanation or self.mismatch.pattern}"


ANSWERS: dict[tuple[str, int], Mismatch] = {}  # of mistakes, by name and seed: several tests ask for the same


def answered(mistakes: list[Mistake], judged: Judged, seeds: range) -> list[Answer]:
    for seed, mistake in itertools.product(seeds, mistakes):
        if (mistake.name, seed) not in ANSWERS:
            ANSWERS[mistake.name, seed] = judged(mistake.make(np.random.default_rng(seed)))
    return [Answer(m, ANSWERS[m.name, seed]) for seed in seeds for m in mistakes]


def wrongly_named(answers: list[Answer]) -> list[str]:
    return [a.line for a in answers if not a.named and a.mismatch.cause != "unknown"]


def test_four_fifths_of_sixty_mistakes_are_named_and_two_at_most_wrongly(judged: Judged) -> None:
    used, held_out, later = (answered(m, judged, range(1)) for m in (MISTAKES, HELD_OUT, LATER))
    assert (len(used), len(held_out), len(later)) == (40, 20, 30)
    for title, answers in (("developed on", used), ("held out", held_out), ("later", later)):
        print(f"\n{title}: {sum(a.named for a in answers)} of {len(answers)} named,", end=" ")
        print(f"{len(wrongly_named(answers))} wrongly named")
        print("\n".join(a.line for a in answers))
    assert sum(a.named for a in (*used, *held_out)) >= 48
    assert sum(a.named for a in held_out) >= 16
    assert sum(a.named for a in later) >= 24
    assert len(wrongly_named([*used, *held_out])) <= 2
    assert len(wrongly_named(later)) <= 1


@pytest.mark.slow
def test_the_names_do_not_depend_on_the_seed(judged: Judged) -> None:
    answers = answered([*MISTAKES, *HELD_OUT], judged, range(1, 4))
    assert sum(a.named for a in answers) >= 3 * 48
    assert len(wrongly_named(answers)) <= 3 * 2


@pytest.mark.parametrize("mistake", UNNAMED, ids=lambda m: m.name)
def test_what_no_name_fits_is_unknown(judged: Judged, mistake: Mistake) -> None:
    assert {a.mismatch.cause for a in answered([mistake], judged, range(3))} == {"unknown"}


SCALE: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda x, w, b: 0.5 * (x * w + b),
    lambda x, w, b: 0.25 * (x * w + b),
    lambda x, w, b: -(x * w + b),
    lambda x, w, b: x * w,
    lambda x, w, b: x * w + 2 * b,
    lambda x, w, b: x + b,
    lambda x, w, b: x * w + b + 1,
    lambda x, w, b: x * w + np.roll(b, -1),
    lambda x, w, b: x * w[:, None] + b,
    lambda x, w, b: x * w + b[:, None],
    lambda x, w, b: (x * w + b).T,
    lambda x, w, b: (x * w + b)[::-1],
    lambda x, w, b: np.roll(x * w + b, 1, 1),
    lambda x, w, b: np.roll(x * w + b, 2, 1),
    lambda x, w, b: np.abs(x * w + b),
    lambda x, w, b: np.where(np.arange(64) < 60, x * w + b, 0),
    lambda x, w, b: np.where(np.arange(64) < 56, x * w + b, 0),
)


def test_seventeen_failures_of_one_kernel_have_seventeen_names_at_every_seed(judged: Judged) -> None:
    called: dict[tuple[str | None, str], int] = {}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, w, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((64, 64), 64, 64))
        wide = [v.astype(np.float64) for v in (x, w, b)]
        for n, kernel in enumerate(SCALE):
            made = Made([x, w, b], [wide[0] * wide[1] + wide[2]], [kernel(*wide).astype(np.float32)])
            found = judged(made)
            assert found.cause != "unknown"
            assert called.setdefault((found.cause, found.what), n) == n, found.explanation
    assert len(called) == len(SCALE)


@pytest.mark.slow
def test_precision_is_named_for_rounding_only(judged: Judged) -> None:
    answers = answered([*MISTAKES, *HELD_OUT, *LATER, *UNNAMED], judged, range(3))
    blamed = {a.mistake.name for a in answers if a.mismatch.cause == "precision"}
    assert blamed == {m.name for m in (*MISTAKES, *HELD_OUT, *LATER) if m.causes == ("precision",)}


def test_every_sentence_is_as_it_was_read_and_approved(judged: Judged) -> None:
    said = json.loads((Path(__file__).parent / "causes_said.json").read_text())
    answers = answered([*MISTAKES, *HELD_OUT, *LATER], judged, range(1))
    assert {a.mistake.name: a.mismatch.explanation for a in answers} == said
