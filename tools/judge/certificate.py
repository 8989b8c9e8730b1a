"""Certify that a task cannot be passed without computing it.

On every case, these answers must fail on at least one of a verdict's kinds of inputs: all zeros, all ones, a copy of
one of the inputs, everywhere the mean of an output that belongs to other inputs, that output itself, and what half of
an axis of the inputs gives where the other half matters. A task on which one of them passes has degenerate inputs or
tolerances, and no verdict on it would mean anything.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from akgen.tools.core.call import TensorFile, TensorMeta
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Certificate, Distribution, Task
from akgen.tools.judge import raw
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from akgen.tools.judge.trials import ORDER
from akgen.tools.reference.client import ReferenceWorker, SampleFiles

ANSWERS = ("zeros", "ones", "input_copy", "mean", "previous", "half")
_OTHER_SEED = 101
# An output of one element can be right by luck, so the task's own inputs are drawn several times.
_TRIALS: tuple[tuple[int, Distribution], ...] = (
    *((seed, "task") for seed in (202, 303, 404, 505)),
    *((606, distribution) for distribution in ORDER),
)


def certify(task: Task, reference: ReferenceWorker) -> Certificate:
    """Return the task's certificate. Raises InputError with the answer and the case on which it passes."""
    with tempfile.TemporaryDirectory(prefix="akgen-certify-") as folder:
        for case in task.cases:
            _certify_case(task, case, reference, Path(folder))
    return Certificate(digest=task_digest(task), rejected=ANSWERS)


def task_digest(task: Task) -> str:
    """Return the SHA-256 of what a certificate speaks about: cases, tolerances and the reference's files."""
    h = hashlib.sha256()
    described = task.model_dump(mode="json", include={"name", "cases", "tolerances", "own_checker"})
    h.update(json.dumps(described, sort_keys=True).encode())
    path = task.reference.path
    files = sorted(p for p in path.rglob("*.py") if p.is_file()) if path.is_dir() else [path]
    for file in files:
        h.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return h.hexdigest()


def _certify_case(task: Task, case: Case, reference: ReferenceWorker, folder: Path) -> None:
    def sample(seed: int, distribution: Distribution, name: str) -> SampleFiles:
        return reference.sample(
            task.reference, case, seed, distribution, inputs=folder / f"in_{name}", expected=folder / name
        )

    def half(axis: int, seed: int, distribution: Distribution, trial: SampleFiles) -> bool:
        """Say whether half of an axis may give the same."""
        given = reference.halved(task.reference, case, seed, distribution, axis, folder / "trial")
        if given is None:
            return True
        matter.add(axis)
        wanted = zip(
            given, _metas(trial), _files(trial.expected), _files(trial.returned), _bounds(trial), strict=True
        )
        return all(
            _agrees(g, m, w, own, b, task) for g, m, w, own, b in wanted if w is not None and own is not None
        )

    other = sample(_OTHER_SEED, "task", "other")
    matter: set[int] = set()  # axes of which half gave something else
    ranks = (len(f.shape) for f in _files(other.call.inputs) if f is not None)
    halves = list(range(max(ranks, default=0)))
    answers = _answers(other)
    for seed, distribution in _TRIALS:
        trial = sample(seed, distribution, "trial")
        answers = [a for a in answers if _passes(a, task, trial, other, folder / "answer.bin")]
        halves = [k for k in halves if half(k, seed, distribution, trial)]
        if not answers and not halves:
            return
    looked = "without computing anything"
    if not answers:
        looked, answers = (
            "and looks at half of the inputs",
            [f"half of axis {k}" for k in halves if k in matter],
        )
    if not answers:
        return
    raise InputError(
        f"Task {task.name}, case {case.id}: the answer {answers[0]!r} passes {looked}.",
        "Choose inputs whose outputs vary, or a tighter tolerance.",
    )


def _answers(trial: SampleFiles) -> list[str]:
    count = sum(1 for f in _files(trial.call.inputs) if f is not None)
    if count == 0:  # an operator without inputs has one output, which may be known
        return ["zeros", "ones"]
    return ["zeros", "ones", *(f"input_copy {k}" for k in range(count)), "mean", "previous"]


def _passes(answer: str, task: Task, trial: SampleFiles, other: SampleFiles, given: Path) -> bool:
    """Say whether an answer passes on every compared output of a trial."""
    inputs = [f for f in _files(trial.call.inputs) if f is not None]
    outputs = zip(
        _metas(trial),
        _files(trial.expected),
        _files(trial.returned),
        _bounds(trial),
        _files(other.expected),
        strict=True,
    )
    for meta, want, own, bounds, previous in outputs:
        if want is None or own is None or previous is None:
            continue
        if answer.startswith("input_copy"):
            source = inputs[int(answer.split()[1])]
            if source.shape != want.shape or source.dtype != meta.dtype:
                return False
            values = raw.load(source)
        else:
            values = raw.encode(_constant(answer, want, previous), meta.dtype)
        if values.size != want.count:
            return False
        values.tofile(given)
        got = TensorFile(dtype=meta.dtype, shape=want.shape, path=given)
        if not _agrees(got, meta, want, own, bounds, task):
            return False
    return True


def _agrees(
    got: TensorFile,
    meta: TensorMeta,
    want: TensorFile,
    own: TensorFile,
    bounds: TensorFile | None,
    task: Task,
) -> bool:
    rule = rule_for(meta.dtype, task.tolerances)
    return compare(0, got, want, own, rule, bounds=bounds).mismatch is None


def _constant(answer: str, want: TensorFile, previous: TensorFile) -> raw.Array:
    if answer in ("mean", "previous"):
        values = raw.as_float64(raw.load(previous), previous.dtype)
        if answer == "previous":
            return values
        finite = values[np.isfinite(values)]
        return np.full(want.count, finite.mean() if finite.size else 0.0)
    return np.full(want.count, 1.0 if answer == "ones" else 0.0)


def _metas(trial: SampleFiles) -> Iterator[TensorMeta]:
    for output in trial.call.outputs:
        yield from output.meta if isinstance(output.meta, tuple) else (output.meta,)


def _bounds(trial: SampleFiles) -> Iterator[TensorFile | None]:
    for i, expected in enumerate(trial.expected):
        for k in range(len(expected) if isinstance(expected, tuple) else 1):
            yield trial.bounds_of(i, k)


def _files(values: Sequence[object]) -> Iterator[TensorFile | None]:
    """Yield every tensor, lists flattened; None for what is absent."""
    for value in values:
        if isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, TensorFile))
        else:
            yield value if isinstance(value, TensorFile) else None
