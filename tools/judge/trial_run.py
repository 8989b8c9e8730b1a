"""Judge one trial: launch the candidate on hidden inputs and compare its files with the expected ones."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from akgen.tools.core.call import OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.outcome import Diagnostic, InputError, Outcome
from akgen.tools.core.task import Case, Task
from akgen.tools.core.toolchain import Build, Launch, Toolchain
from akgen.tools.core.verdict import Mismatch
from akgen.tools.judge import findings, floor, policy, tolerance
from akgen.tools.judge.compare import Compared, compare, refused
from akgen.tools.judge.trial_files import Prepared
from akgen.tools.judge.trials import TrialPlan
from akgen.tools.reference.client import ReferenceWorker

Place = tuple[int, int]  # an output, and the tensor in it where it is a list
_LARGEST_REMEMBERED = 1 << 26  # bytes of an output whose digest is kept for the next trial


@dataclass(frozen=True)
class Candidate:
    """What is being judged, and with what."""

    toolchain: Toolchain
    reference: ReferenceWorker
    build: Build
    task: Task
    timeout_s: float


@dataclass
class TrialResult:
    """What one trial showed."""

    outcome: Outcome
    launch: Launch
    diagnostics: list[Diagnostic] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)  # none where it did not come so far
    own_verdict: str | None = None
    own_checked: bool = False  # the task's own checker was asked
    digests: dict[Place, str] = field(default_factory=dict)  # of outputs

    @property
    def mismatch(self) -> Mismatch | None:
        """Return the first output's that is not as it should be."""
        return next((c.mismatch for c in self.compared if c.mismatch is not None), None)


def run_trial(
    candidate: Candidate,
    case: Case,
    plan: TrialPlan,
    prepared: Prepared,
    previous: dict[Place, str],
    *,
    again: bool,
    trace: bool,
    what_if: bool = False,
) -> TrialResult:
    """Launch once, or twice on the same inputs with `again`, and compare each launch.

    `previous` holds the digests of the outputs of the trial before, to recognise answers that were kept from it.
    """
    call = prepared.trial.call
    launch = candidate.toolchain.run(
        candidate.build,
        call,
        prepared.candidate / "run",
        timeout_s=candidate.timeout_s,
        trace=trace,
        what_if=what_if,
    )
    result = _judge_launch(candidate, case, plan, prepared, previous, launch)
    if result.outcome == Outcome.CORRECT and again:
        second = candidate.toolchain.run(
            candidate.build, call, prepared.candidate / "again", timeout_s=candidate.timeout_s
        )
        repeated = _judge_launch(candidate, case, plan, prepared, {}, second)
        if repeated.outcome != Outcome.CORRECT or not _same(launch, second):
            repeated.launch = launch
            repeated.diagnostics.append(findings.nondeterministic(repeated.outcome))
            return repeated
    return result


def _judge_launch(
    candidate: Candidate,
    case: Case,
    plan: TrialPlan,
    prepared: Prepared,
    previous: dict[Place, str],
    launch: Launch,
) -> TrialResult:
    result = TrialResult(Outcome.CORRECT, launch, list(launch.diagnostics))
    if policy.attempted(launch.diagnostics):
        result.outcome = Outcome.CHEAT
        return result
    if launch.outcome is not None:
        result.outcome = launch.outcome
        return result
    if any(d.severity == "error" for d in launch.diagnostics):
        result.outcome = Outcome.TRAP
        return result
    compared = _compare_all(candidate.task, prepared, launch, previous, result)
    if not compared and not candidate.task.own_checker:
        raise InputError(
            f"Task {candidate.task.name}, case {case.id}: the reference gives no output to compare with.",
            "Return at least one tensor from Model.forward.",
        )
    if candidate.task.own_checker and not any(_malformed(c) for c in compared):
        result.own_checked = True
        result.own_verdict = candidate.reference.check(
            candidate.task.reference, case, plan.seed, plan.distribution, launch.outputs
        )
    has_own = candidate.task.own_checker
    result.outcome = policy.decide(compared, result.own_verdict, has_own_checker=has_own)
    if result.own_verdict is not None:
        text = f"{result.own_verdict.rstrip('.')}."
        result.diagnostics.append(
            Diagnostic(code="OWN_CHECKER", text=text, remedy="Come closer to the reference.", stage="test")
        )
    least_us = floor.floor_us(prepared.trial.call, candidate.task.category)
    claimed_us = launch.time_us if result.outcome == Outcome.CORRECT else None
    if claimed_us is not None and claimed_us < least_us:
        result.outcome = Outcome.CHEAT
        result.diagnostics.append(findings.too_fast(claimed_us, least_us))
    return result


def _compare_all(
    task: Task, prepared: Prepared, launch: Launch, previous: dict[Place, str], result: TrialResult
) -> list[Compared]:
    """Compare every output that the reference has; note what was found in `result`."""
    trial, found = prepared.trial, result.compared
    for i, meta in enumerate(trial.call.outputs):
        wants, owns = trial.expected[i], trial.returned[i]
        if wants is None or owns is None:
            continue
        got = launch.outputs[i] if i < len(launch.outputs) else ()
        for k, (g, w, o, m) in enumerate(_elements(got, wants, owns, meta)):
            compared = _compare_one(i, g, w, o, m, task, previous.get((i, k)), meta.zeroed)
            found.append(compared)
            if g is not None and g.path.is_file() and g.size_bytes <= _LARGEST_REMEMBERED:
                result.digests[i, k] = _digest(g.path)
    if result.mismatch is not None:
        result.diagnostics.append(findings.mismatch_found(result.mismatch, warning=task.own_checker))
    return found


def _compare_one(
    index: int,
    got: TensorFile | None,
    want: TensorFile,
    own: TensorFile,
    meta: TensorMeta,
    task: Task,
    before: str | None,
    zeroed: bool,
) -> Compared:
    if got is None:
        return refused(index, "shape", want, "the output is missing")
    rule = tolerance.rule_for(meta.dtype, task.tolerances)
    compared = compare(index, got, want, own, rule, zeroed=zeroed)
    if (
        compared.mismatch is not None
        and before is not None
        and got.path.is_file()
        and _digest(got.path) == before
    ):
        note = "the output equals that of the previous, different input"
        stale = compared.mismatch.model_copy(update={"pattern": "stale", "note": note})
        return Compared(compared.max_abs, compared.max_rel, stale, compared.unwritten, compared.foreign_nan)
    return compared


Element = tuple[TensorFile | None, TensorFile, TensorFile, TensorMeta]


def _elements(
    got: TensorFile | tuple[TensorFile, ...],
    want: TensorFile | tuple[TensorFile, ...],
    own: TensorFile | tuple[TensorFile, ...],
    meta: OutputMeta,
) -> list[Element]:
    """Pair up an output's tensors; a missing one is None."""
    gots = got if isinstance(got, tuple) else (got,)
    wants = want if isinstance(want, tuple) else (want,)
    owns = own if isinstance(own, tuple) else (own,)
    metas = meta.meta if isinstance(meta.meta, tuple) else (meta.meta,)
    return [
        (gots[k] if k < len(gots) else None, w, o, m)
        for k, (w, o, m) in enumerate(zip(wants, owns, metas, strict=True))
    ]


def _malformed(compared: Compared) -> bool:
    return compared.mismatch is not None and compared.mismatch.pattern in ("shape", "dtype")


def _same(first: Launch, second: Launch) -> bool:
    """Compare two launches' outputs bit by bit."""
    pairs = zip(_flat(first), _flat(second), strict=True)
    return all(
        np.array_equal(np.fromfile(a.path, dtype=np.uint8), np.fromfile(b.path, dtype=np.uint8))
        for a, b in pairs
    )


def _flat(launch: Launch) -> list[TensorFile]:
    return [t for o in launch.outputs for t in (o if isinstance(o, tuple) else (o,))]


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "blake2b").hexdigest()
