"""Arithmetic on half scalars, which the device's compiler refuses: the scalar unit has none.

The compilers here compute it without a word. Constants are folded before the internal form is written, as the device's
compiler folds them; comparisons and conversions are allowed, and so is what the twin's headers do.
"""

from collections.abc import Mapping

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.internal_form import Computed, Steps


def refused_arithmetic(steps: Steps, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each line of the project's `files` that adds, subtracts, multiplies or divides halves."""
    found: dict[tuple[str, int], str] = {}
    for step in steps:
        name = step.file.removeprefix("./")
        if isinstance(step, Computed) and name in files:
            found.setdefault((name, step.line), step.sign)
    return tuple(
        Diagnostic(
            code="HALF_ARITHMETIC",
            text=f"Two halves are combined with {sign} in scalar code; the device's compiler refuses that.",
            file=file,
            line=line,
            remedy="Compute in float: half(static_cast<float>(a) + static_cast<float>(b)); or work on tensors.",
            stage="compile",
        )
        for (file, line), sign in sorted(found.items())
    )
