"""What counts as correct, and what is said of it. The one place where findings become an outcome.

Every case must hold, on every trial:

- no check of the toolchain fired, the code reached for nothing outside its sandbox, and the run ended in its time;
- every output has the reference's shape and the asked dtype, and every element of it was written;
- no NaN or infinity stands where the reference has a number;
- it does not claim less time than its data needs to move, and did the operations that its outputs need (`operations`).

Then, for a task without its own checker, every element of every compared output is inside its tolerance
(`tolerance`). For a task with its own checker (the public benchmarks), that checker decides over the numbers, so that a
result can be compared with what others publish; our tolerance is applied too, and what it says is reported beside the
verdict as the case's mismatch.

The worst trial is the case's outcome, the worst case the verdict's.
"""

from collections.abc import Iterable, Sequence

from akgen.knowledge.chip import timing
from akgen.knowledge.errors import blamed
from akgen.knowledge.hints import hint_of
from akgen.tools.core.call import Call, argument_bytes
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.verdict import CaseVerdict, Mismatch
from akgen.tools.judge.compare import Comparison

_WORST_FIRST = (
    Outcome.CHEAT, Outcome.NO_CODE, Outcome.UNSUPPORTED, Outcome.PLAN_REJECTED, Outcome.COMPILE_ERROR,
    Outcome.TILING_ERROR, Outcome.TRAP, Outcome.TIMEOUT, Outcome.WRONG, Outcome.BUDGET, Outcome.CORRECT,
)  # fmt: skip
# Every element of the input counts in these; an index or a slice may read a part only.
_READS_ALL = frozenset(
    {
        "elementwise", "activation", "comparison", "cast", "reduction", "softmax", "normalization", "loss",
        "optimizer",
    }
)  # fmt: skip
_MARGIN = 0.9  # the bandwidth is a measured figure, and no chip is faster than it by more than a few per cent


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes; CORRECT needs at least one, and nothing else among them."""
    found = set(outcomes)
    return next((o for o in _WORST_FIRST if o in found), Outcome.WRONG)


def attempted(diagnostics: Iterable[Diagnostic]) -> bool:
    """Say whether code reached for something outside its sandbox: a cheat, whatever else it did."""
    return any(d.code.startswith("SANDBOX_") for d in diagnostics)


def decide(compared: Sequence[Comparison], own_verdict: str | None, *, has_own_checker: bool) -> Outcome:
    """Return CORRECT or WRONG for one trial; `own_verdict` is the own checker's objection, None if it has none."""
    for output in compared:
        if output.unwritten or output.foreign_nan or output.malformed:
            return Outcome.WRONG
        if output.mismatch is not None and not has_own_checker:
            return Outcome.WRONG
    return Outcome.WRONG if has_own_checker and own_verdict is not None else Outcome.CORRECT


def blame(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Make errors of what a device goes on with, for outputs that are wrong: it is what to mend first."""
    return [d.model_copy(update={"severity": "error"}) if d.code in blamed() else d for d in diagnostics]


def computes(category: str) -> bool:
    """Say whether the outputs of a category are new numbers, and not inputs moved elsewhere."""
    return category in _READS_ALL


def floor_us(call: Call, category: str, bytes_read: int | None = None) -> float:
    """Return the least time that a call can take: what claims less was not computed on this chip.

    It is the bytes that must move over the bandwidth of the L2 cache, the fastest way to move them. `bytes_read`: of
    the inputs, as a run of the reference shows (a loss may look one element of each row up); None if nobody looked.
    """
    moved = sum(argument_bytes(o.meta) for o in call.outputs)
    if category in _READS_ALL:
        given = sum(argument_bytes(i) for i in call.inputs)
        moved += given if bytes_read is None else min(given, bytes_read)
    return _MARGIN * moved / timing()["l2_bytes_per_us_total"]


def mismatch_found(mismatch: Mismatch, *, warning: bool) -> Diagnostic:
    if mismatch.pattern in ("shape", "dtype"):
        text = f"Output {mismatch.output}: {mismatch.note}."
    else:
        place = list(mismatch.first_index)
        size = "no element can be compared"
        if mismatch.max_abs is not None and mismatch.max_rel is not None:
            size = f"largest error {mismatch.max_abs:.3g} absolute, {mismatch.max_rel:.3g} relative"
        text = (
            f"Output {mismatch.output} differs in {mismatch.count} of {mismatch.total} elements, first at {place}"
            f" ({mismatch.pattern}: {mismatch.note}); {size}."
        )
        text += (
            f" {mismatch.explanation[0].upper()}{mismatch.explanation[1:]}." if mismatch.explanation else ""
        )
    return Diagnostic(
        code="OUTPUT_MISMATCH",
        text=text,
        remedy=hint_of(mismatch.pattern, mismatch.cause).remedy,
        severity="warning" if warning else "error",
        stage="test",
    )


def nondeterministic(outcome: Outcome) -> Diagnostic:
    harmless = outcome == Outcome.CORRECT
    return Diagnostic(
        code="NONDETERMINISTIC",
        text="Two launches on the same inputs gave different outputs"
        + (", both inside the tolerance." if harmless else "; the second one is wrong."),
        remedy="Look for reads of memory that nobody wrote, and for cores that add in no fixed order.",
        severity="warning" if harmless else "error",
        stage="test",
    )


def first_launch_only() -> Diagnostic:
    return Diagnostic(
        code="FIRST_LAUNCH_ONLY",
        text="Launched by itself the kernel is right; launched after another launch, on other inputs, it is not.",
        remedy="In kernel and host, set static variables, variables outside of functions and the workspace anew in"
        " every launch, before anything reads them.",
        stage="test",
    )


def one_order_only() -> Diagnostic:
    return Diagnostic(
        code="CORE_ORDER",
        text="The output is right where core 0 runs first, and wrong where the last core does.",
        remedy="Let no core rely on what another one did without SyncAll or a flag between them, and let no two cores"
        " write one element; keep what cores share in the workspace.",
        stage="test",
    )


def other_formula(output: int, what: str, line: str) -> Diagnostic:
    where = f", in `{line}`" if line else ""
    return Diagnostic(
        code="OTHER_FORMULA",
        text=f"Output {output} is inside its tolerance, but is not the reference's: {what}{where}. The reference with"
        " this one change gives the same numbers.",
        remedy=f"Mend this: {what}. Compute every operation of the reference, also one that changes the output by"
        " little.",
        stage="test",
    )


def made_for_listed_shapes(case: CaseVerdict, shapes: Sequence[tuple[int, ...]]) -> CaseVerdict:
    """Return the verdict on a drawn case that is not correct while all listed ones are: wrong, unless it is a cheat."""
    said = ", ".join(str(list(shape)) for shape in shapes)
    found = Diagnostic(
        code="LISTED_SHAPES_ONLY",
        text=f"All listed cases are correct, but not inputs of shapes drawn beside them, {said}: {case.why()}",
        remedy="Compute every size from the shapes that the call has; leave no table of known ones.",
        stage="test",
    )
    outcome = Outcome.CHEAT if case.outcome == Outcome.CHEAT else Outcome.WRONG
    return case.model_copy(update={"outcome": outcome, "diagnostics": (found, *case.diagnostics)})


def too_fast(time_us: float, least_us: float) -> Diagnostic:
    return Diagnostic(
        code="FASTER_THAN_MEMORY",
        text=f"The kernel is said to take {time_us:.3f} us; moving its data alone takes {least_us:.3f} us.",
        remedy="Read every input and write every output on each launch.",
        stage="test",
    )
