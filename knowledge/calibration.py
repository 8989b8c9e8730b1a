"""Published device timings, and how far the time model is from them."""

import csv
import json
from functools import cache
from hashlib import sha256
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


class Crossed(BaseModel):
    """Errors of points that the model was not fitted to: each source left out in turn. Shares, not percent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    median: float
    worst: float
    within_target: int
    worst_point: str
    constants: str  # fingerprint of the data files that it was found for


class ModelError(BaseModel):
    """The model's error over the points; shares, not percent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    points: int
    within_target: int
    median: float
    worst: float
    crossed: Crossed
    by_point: dict[str, float]  # predicted / published - 1

    @property
    def sentence(self) -> str:
        """Say it in a line, to stand beside a predicted time."""
        return (
            f"median error {self.median:.0%}, worst {self.worst:.0%} on {self.points} published device timings; "
            f"cross-validated {self.crossed.median:.0%}, worst {self.crossed.worst:.0%}"
        )


@cache
def points() -> dict[str, Point]:
    """Return the published timings by name, in the order of the file."""
    text = files("akgen.knowledge").joinpath("data", "calibration.csv").read_text()
    return {row["point"]: Point.model_validate(row) for row in csv.DictReader(text.splitlines())}


@cache
def fingerprint() -> str:
    """Return what stands for the time model's constants and the timings that they are compared with."""
    folder = files("akgen.knowledge").joinpath("data")
    names = ("timing.csv", "vector_throughput.csv", "calibration.csv")
    return sha256(b"".join(folder.joinpath(name).read_bytes() for name in names)).hexdigest()[:16]


@cache
def model_error() -> ModelError:
    """Return the error that the last calibration found."""
    text = files("akgen.knowledge").joinpath("data", ERROR_FILE).read_text()
    return ModelError.model_validate(json.loads(text))
