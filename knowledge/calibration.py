"""Published device timings, and how far the time model is from them."""

import csv
import json
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

ERROR_FILE = "model_error.json"


class Point(BaseModel):
    """One published timing, in microseconds as published, or converted from ticks of a 50 MHz clock."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    point: str
    source: str  # family: what was published together
    measured_us: float
    cores: int
    what: str


class ModelError(BaseModel):
    """The model's error over the points; shares, not percent. Cross-validated: each source left out of the fit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    points: int
    within_target: int
    median: float
    worst: float
    cross_validated_median: float | None
    cross_validated_worst: float | None
    by_point: dict[str, float]  # predicted / published - 1

    @property
    def sentence(self) -> str:
        """Say it in a line, to stand beside a predicted time."""
        text = f"median error {self.median:.0%}, worst {self.worst:.0%} on {self.points} published device timings"
        if self.cross_validated_median is not None and self.cross_validated_worst is not None:
            text += (
                f"; cross-validated {self.cross_validated_median:.0%}, worst {self.cross_validated_worst:.0%}"
            )
        return text


@cache
def points() -> dict[str, Point]:
    """Return the published timings by name, in the order of the file."""
    text = files("akgen.knowledge").joinpath("data", "calibration.csv").read_text()
    return {row["point"]: Point.model_validate(row) for row in csv.DictReader(text.splitlines())}


@cache
def model_error() -> ModelError:
    """Return the error that the last calibration found."""
    text = files("akgen.knowledge").joinpath("data", ERROR_FILE).read_text()
    return ModelError.model_validate(json.loads(text))
