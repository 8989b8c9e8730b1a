"""How well gains are predicted: per kind of change, what tuning steps were to save and what they saved."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean

from akgen.bench.record import Record, TuningStep
from akgen.graph.store.records import AttemptRow
from akgen.tools.core.frozen import Frozen


class GainCalibration(Frozen):
    """Means over the steps of one kind, as shares of the kernel's time; `actual` over those that stayed correct."""

    tried: int
    broke: int
    predicted: float
    actual: float | None


def tuning_steps(attempts: Sequence[AttemptRow]) -> tuple[TuningStep, ...]:
    """Return the steps of one sample: each attempt with a hypothesis, measured by the attempt that followed."""
    found = []
    for now, after in pairwise(attempts):
        if now.hypothesis is None or not now.time_us:
            continue
        correct = after.failure is None and after.time_us is not None
        saved = 1.0 - after.time_us / now.time_us if correct and after.time_us else None
        found.append(
            TuningStep(kind=now.hypothesis.kind, predicted=now.hypothesis.predicted_gain, actual=saved)
        )
    return tuple(found)


def calibration(records: Iterable[Record]) -> dict[str, GainCalibration]:
    """Return the means by kind of change, most frequent first."""
    by_kind: dict[str, list[TuningStep]] = {}
    for record in records:
        for step in record.tuning:
            by_kind.setdefault(step.kind, []).append(step)
    return {
        kind: GainCalibration(
            tried=len(steps),
            broke=sum(s.actual is None for s in steps),
            predicted=fmean(s.predicted for s in steps),
            actual=fmean(kept) if (kept := [s.actual for s in steps if s.actual is not None]) else None,
        )
        for kind, steps in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0]))
    }
