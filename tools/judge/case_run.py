"""Judge one case over its trials."""

from collections.abc import Sequence

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Case
from akgen.tools.core.verdict import CaseVerdict
from akgen.tools.judge import policy
from akgen.tools.judge.trial_files import TrialFiles
from akgen.tools.judge.trial_run import Candidate, TrialResult, run_trial
from akgen.tools.judge.trials import TrialPlan


def run_case(
    candidate: Candidate,
    case: Case,
    plans: Sequence[TrialPlan],
    files: TrialFiles,
    *,
    trace: bool,
    what_if: bool = False,
) -> CaseVerdict:
    """Run trials until one fails. The first is launched twice if there are several."""
    results: list[TrialResult] = []
    previous: dict[tuple[int, int], str] = {}
    for plan in plans:
        with files.of(case, plan) as prepared:
            first = plan.number == 0
            result = run_trial(
                candidate,
                case,
                plan,
                prepared,
                previous,
                again=first and len(plans) > 1,
                trace=trace and first,
                what_if=what_if and first,
            )
        results.append(result)
        previous = result.digests
        if result.outcome != Outcome.CORRECT:
            break
    return _fold(case, results)


def _fold(case: Case, results: list[TrialResult]) -> CaseVerdict:
    worst = policy.worst(r.outcome for r in results)
    first = results[0].launch
    compared = [c for r in results for c in r.compared]
    asked = any(r.own_checked for r in results)
    return CaseVerdict(
        id=case.id,
        outcome=worst,
        trials=len(results),
        max_abs=_largest([c.max_abs for c in compared]),
        max_rel=_largest([c.max_rel for c in compared]),
        time_us=first.time_us,
        time_source=first.time_source,
        mismatch=next((r.mismatch for r in reversed(results) if r.mismatch is not None), None),
        own_checker=("fail" if any(r.own_verdict for r in results) else "pass") if asked else None,
        diagnostics=tuple({d.model_dump_json(): d for r in results for d in r.diagnostics}.values()),
        profile=first.profile,
    )


def _largest(errors: list[float | None]) -> float | None:
    """Return the largest error; None if there is none, or one of them could not be told."""
    known = [e for e in errors if e is not None]
    return max(known, default=None) if len(known) == len(errors) else None
