"""What counts as correct. The one place where findings become an outcome.

Every case must hold, on every trial:

- no check of the toolchain fired, the code reached for nothing outside its sandbox, and the run ended in its time;
- every output has the reference's shape and the asked dtype, and every element of it was written;
- no NaN or infinity stands where the reference has a number.

Then, for a task without its own checker, every element of every compared output is inside its tolerance
(`tolerance`). For a task with its own checker (the public benchmarks), that checker decides over the numbers, so that a
result can be compared with what others publish; our tolerance is applied too, and what it says is reported beside the
verdict as the case's mismatch.

The worst trial is the case's outcome, the worst case the verdict's.
"""

from collections.abc import Iterable, Sequence

from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.judge.compare import Compared

_WORST_FIRST = (
    Outcome.CHEAT, Outcome.NO_CODE, Outcome.UNSUPPORTED, Outcome.PLAN_REJECTED, Outcome.COMPILE_ERROR,
    Outcome.TILING_ERROR, Outcome.TRAP, Outcome.TIMEOUT, Outcome.WRONG, Outcome.BUDGET, Outcome.CORRECT,
)  # fmt: skip


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes; CORRECT needs at least one, and nothing else among them."""
    found = set(outcomes)
    return next((o for o in _WORST_FIRST if o in found), Outcome.WRONG)


def attempted(diagnostics: Iterable[Diagnostic]) -> bool:
    """Say whether code reached for something outside its sandbox: a cheat, whatever else it did."""
    return any(d.code.startswith("SANDBOX_") for d in diagnostics)


def decide(compared: Sequence[Compared], own_verdict: str | None, *, has_own_checker: bool) -> Outcome:
    """Return CORRECT or WRONG for one trial; `own_verdict` is the own checker's objection, None if it has none."""
    for output in compared:
        mismatch = output.mismatch
        if output.unwritten or output.foreign_nan:
            return Outcome.WRONG
        if mismatch is not None and mismatch.pattern in ("shape", "dtype"):
            return Outcome.WRONG
        if mismatch is not None and not has_own_checker:
            return Outcome.WRONG
    return Outcome.WRONG if has_own_checker and own_verdict is not None else Outcome.CORRECT
