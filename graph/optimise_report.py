"""What a search for a faster kernel found: every hypothesis with what it promised and what it brought."""

import math
from collections.abc import Sequence
from pathlib import Path

from akgen.agents.budget import Spent
from akgen.agents.search.candidates import Kind, SearchStep
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.profile import Profile
from akgen.tools.core.timed import TimeSource
from akgen.tools.core.verdict import Verdict


class Calibration(Frozen):
    """How well one kind of hypothesis knows what it will bring. Gains are geometric means over correct trials.

    `error` is the typical factor between promise and result: 1.2 means off by a fifth, either way. It and
    `predicted` are None where no trial made a promise.
    """

    kind: Kind
    tried: int
    correct: int
    kept: int
    predicted: float | None
    actual: float | None
    error: float | None


class Optimised(Frozen):
    """optimised.json."""

    format: int = 1
    task: str
    toolchain: str
    by: str
    before_us: float  # geometric mean over the cases
    after_us: float
    time_source: TimeSource | None
    gain: float
    changes: tuple[str, ...]
    project: Path
    verdict: Verdict
    profile: Profile | None
    trials: tuple[SearchStep, ...]
    calibration: tuple[Calibration, ...]
    stopped: str
    spent: Spent


def calibrations(trials: Sequence[SearchStep]) -> tuple[Calibration, ...]:
    """Compare promises with results, kind by kind, in the order in which the kinds were tried."""
    kinds = dict.fromkeys(trial.hypothesis.kind for trial in trials)
    return tuple(_of(kind, [t for t in trials if t.hypothesis.kind == kind]) for kind in kinds)


def _of(kind: Kind, mine: list[SearchStep]) -> Calibration:
    correct = [t for t in mine if t.gain is not None]
    pairs = [(t.hypothesis.predicted_gain, t.gain) for t in correct if t.hypothesis.predicted_gain and t.gain]
    off = [abs(math.log(actual / predicted)) for predicted, actual in pairs]
    return Calibration(
        kind=kind,
        tried=len(mine),
        correct=len(correct),
        kept=sum(t.kept for t in mine),
        predicted=_mean([predicted for predicted, _ in pairs]),
        actual=_mean([t.gain for t in correct if t.gain]),
        error=round(math.exp(sum(off) / len(off)), 3) if off else None,
    )


def _mean(gains: Sequence[float]) -> float | None:
    return round(math.exp(sum(map(math.log, gains)) / len(gains)), 3) if gains else None
