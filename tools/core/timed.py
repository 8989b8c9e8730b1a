"""A time with where it comes from, and how runs of earlier versions wrote it."""

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, model_validator

from akgen.tools.core.frozen import Frozen

Microseconds = Annotated[float, Field(ge=0)]
TimeSource = Literal["predicted", "measured"]
# What measured it: events around launches, the second-level cache flushed before each (cold); or a profiler, over
# launches one after the other (warm)
MeasuredBy = Literal["events", "msprof", "msprof op"]

# Until 0.1 the time was called `predicted_us` wherever it came from, and a launch's `duration_us`.
_EARLIER_NAMES = {"predicted_us": "time_us", "duration_us": "time_us", "source": "time_source"}


class DeviceReadings(Frozen):
    """What the driver said of a device while a time was measured on it; None where it did not say.

    A clock below the rated one makes every time longer: a time is to be compared with others of one clock.
    """

    clock_mhz: float | None = Field(None, ge=0, le=1e6)  # the highest that was seen
    rated_clock_mhz: float | None = Field(None, ge=0, le=1e6)
    temperature_c: float | None = Field(None, ge=-100, le=1000)  # the last, in degrees Celsius
    power_w: float | None = Field(None, ge=0, le=1e6)  # the last, in watts

    @property
    def sentence(self) -> str:
        """Say it in a few words; empty where nothing is known."""
        rated = f" of {self.rated_clock_mhz:g}" if self.rated_clock_mhz is not None else ""
        clock = f"{self.clock_mhz:g}{rated} MHz" if self.clock_mhz is not None else ""
        heat = f"{self.temperature_c:g} C" if self.temperature_c is not None else ""
        return ", ".join(filter(None, (clock, heat)))


class HasTime(Frozen):
    """Something that takes `time_us` microseconds: predicted by the twin's time model, or measured on a device.

    Both are None where nothing was timed. A time of an earlier version whose toolchain is not known has no source.
    """

    time_us: Microseconds | None = None
    time_source: TimeSource | None = None
    measured_by: MeasuredBy | None = None  # None: predicted, or an earlier version measured
    device: DeviceReadings | None = None  # None: predicted, or the driver said nothing

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, value: Any, info: ValidationInfo) -> Any:
        """Read `predicted_us`; a validation context may name the toolchain."""
        if isinstance(value, dict):
            value = {_EARLIER_NAMES.get(k, k): v for k, v in value.items()}
        return with_sources(value, (info.context or {}).get("toolchain"))

    def time_text(self, form: str = ".1f", unit: str = "us") -> str | None:
        """Say the time and which kind it is, such as `4.7 us predicted`; None where nothing was timed."""
        if self.time_us is None:
            return None
        by = f" by {self.measured_by}" if self.measured_by else ""
        state = f" ({self.device.sentence})" if self.device is not None and self.device.sentence else ""
        return f"{self.time_us:{form}} {unit}" + (
            f" {self.time_source}{by}{state}" if self.time_source else ""
        )


def source_of(toolchain: str) -> TimeSource:
    """Return what a toolchain's times are: CANN measures, the twin predicts."""
    return "measured" if toolchain.startswith("cann") else "predicted"


def with_sources(value: Any, toolchain: str | None = None) -> Any:
    """Give the times in unvalidated data the names of today, and the source that the toolchain around them says."""
    if isinstance(value, list | tuple):
        return [with_sources(v, toolchain) for v in value]
    if not isinstance(value, dict):
        return value
    own = value.get("toolchain")
    toolchain = own if isinstance(own, str) and own else toolchain
    found = {k: with_sources(v, toolchain) for k, v in value.items()}
    if "predicted_us" in found:
        found["time_us"] = found.pop("predicted_us")
    if toolchain and found.get("time_us") is not None and found.get("time_source") is None:
        found["time_source"] = source_of(toolchain)
    return found
