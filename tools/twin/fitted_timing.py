"""Constants of the time model that a user fitted to device timings of his own: a file beside his settings."""

import hashlib
from pathlib import Path
from typing import Annotated

from pydantic import Field

from akgen.knowledge.chip import today
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import read_model

FORMAT = 1
FURTHEST = 20.0  # times today's constant, or that part of it
_REMEDY = "Make it anew with `akgen calibrate --from-run`, or unset AKGEN_TIMING."


class FittedTiming(Frozen):
    """Errors are shares, of what a fit without them predicts: each third of the families was left out in turn."""

    format: int = FORMAT
    chip: str
    constants: Annotated[dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]], Field(max_length=500)]
    points: int  # device timings
    families: tuple[str, ...]  # tasks
    fitted_to: tuple[str, ...]  # the records, by name and digest
    toolchain: str  # of the device
    rehearsal: bool  # a fake device measured: for tests of ours
    held_out_before: float  # mean error of the constants before, as that of a logarithm
    held_out_after: float

    @property
    def name(self) -> str:
        """Return what every result that used it carries."""
        text = repr((self.chip, sorted(self.constants.items())))
        kind = "rehearsal-" if self.rehearsal else ""
        return f"{kind}fit-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def sentence(self) -> str:
        """Say in a line how far off it is, to stand beside a predicted time."""
        on = "a rehearsal's" if self.rehearsal else self.toolchain
        return (
            f"{self.name}, fitted to {self.points} timings of {on}: held-out mean error "
            f"{self.held_out_after:.0%}, {self.held_out_before:.0%} before"
        )


def read_fitted(path: Path, chip: str) -> FittedTiming:
    """Read a file. Raises InputError for one that is not of its form, or of another chip."""
    found = read_model(FittedTiming, path, _REMEDY)
    if found.format > FORMAT:
        raise InputError(f"{path} has the form {found.format}, which is newer.", "Update AKGen.")
    if found.chip != chip:
        raise InputError(f"{path} was fitted for {shown(found.chip, 40)}, not {chip}.", _REMEDY)
    for key, value in found.constants.items():
        try:
            now = today(key)
        except (KeyError, ValueError):
            raise InputError(f"{path}: the time model has no constant {shown(key, 60)!r}.", _REMEDY) from None
        if not now / FURTHEST <= value <= now * FURTHEST:
            raise InputError(f"{path}: {value:g} for {key} is beyond belief ({now:g}).", _REMEDY)
    return found
