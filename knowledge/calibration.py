"""Published device timings, and how far the time model is from them."""

from functools import cache
from hashlib import sha256

from akgen.knowledge.data_files import KnowledgeFact, read_csv, read_json, read_text

ERROR_FILE = "model_error.json"


class Point(KnowledgeFact):
    """One published timing, in microseconds as published, or converted from ticks of a 50 MHz clock."""

    point: str
    source: str  # family: what was published together
    measured_us: float
    cores: int
    what: str


class Crossed(KnowledgeFact):
    """Errors of points that the model was not fitted to, each third of the sources left out in turn; not percent."""

    median: float
    worst: float
    within_target: int
    worst_point: str
    constants: str  # fingerprint of the data files that it was found for


class ModelError(KnowledgeFact):
    """The model's error over the points; shares, not percent."""

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
    return {row["point"]: Point.model_validate(row) for row in read_csv("calibration.csv")}


@cache
def fingerprint() -> str:
    """Return what stands for the time model's constants and the timings that they are compared with."""
    names = ("timing.csv", "vector_throughput.csv", "calibration.csv")
    return sha256("".join(map(read_text, names)).encode()).hexdigest()[:16]


@cache
def model_error() -> ModelError:
    """Return the error that the last calibration found."""
    return ModelError.model_validate(read_json(ERROR_FILE))
