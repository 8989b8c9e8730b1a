"""What the judge says about an output or a launch, in the form of diagnostics."""

from akgen.knowledge.hints import mismatch_hints
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.verdict import Mismatch


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
    return Diagnostic(
        code="OUTPUT_MISMATCH",
        text=text,
        remedy=mismatch_hints()[mismatch.pattern].remedy,
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


def too_fast(time_us: float, least_us: float) -> Diagnostic:
    return Diagnostic(
        code="FASTER_THAN_MEMORY",
        text=f"The kernel is said to take {time_us:.3f} us; moving its data alone takes {least_us:.3f} us.",
        remedy="Read every input and write every output on each launch.",
        stage="test",
    )
