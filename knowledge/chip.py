"""Chip facts: memory sizes, core counts, clock, and the numbers of the time model."""

import csv
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

DEFAULT_CHIP = "Ascend910B2"


class Chip(BaseModel):
    """One chip. Sizes in bytes, clock in MHz. Source: the vendor's platform configuration, per chip name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    short_name: str
    clock_mhz: int
    core_aic: int
    core_aiv: int
    ub_size: int
    l1_size: int
    l0a_size: int
    l0b_size: int
    l0c_size: int
    bt_size: int
    fb_size: int
    l2_size: int

    @property
    def hbm_bytes_per_us(self) -> float:
        """Return the memory bandwidth that all cores reach together."""
        return timing()["hbm_bytes_per_us_total"]

    @property
    def vector_flops_per_us(self) -> float:
        """Return float32 additions per microsecond over all vector cores."""
        return 64.0 * self.core_aiv * self.clock_mhz


class VectorRate(NamedTuple):
    """One row of the throughput table: elements per cycle once running, and fixed cycles per instruction."""

    elements_per_cycle: float
    fixed_cycles: float


def _rows(name: str) -> list[dict[str, Any]]:
    text = files("akgen.knowledge").joinpath("data", name).read_text()
    return list(csv.DictReader(text.splitlines()))


@cache
def chips() -> dict[str, Chip]:
    return {row["name"]: Chip.model_validate(row) for row in _rows("chips.csv")}


def chip(name: str = DEFAULT_CHIP) -> Chip:
    """Return the facts of one chip; raise KeyError with the known names."""
    try:
        return chips()[name]
    except KeyError:
        raise KeyError(f"unknown chip {name!r}; known: {', '.join(chips())}") from None


@cache
def timing() -> dict[str, float]:
    """Return the time model's constants by key; units are in the key, sources in data/timing.csv."""
    return {row["key"]: float(row["value"]) for row in _rows("timing.csv")}


@cache
def vector_rates() -> dict[tuple[str, str], VectorRate]:
    """Return throughput by (API, dtype); a conversion's dtype is `from->to`."""
    return {
        (row["api"], row["dtype"]): VectorRate(float(row["elements_per_cycle"]), float(row["fixed_cycles"]))
        for row in _rows("vector_throughput.csv")
    }


def launcher_text(of: Chip) -> str:
    """Write the chip file that the twin's programs read: tab-separated `key value`, then `vec` rows."""
    lines = [f"soc\t{of.name}"]
    lines += [f"{key}\t{value}" for key, value in of.model_dump().items() if key != "name"]
    lines += [f"{key}\t{value:g}" for key, value in timing().items()]
    lines += [
        f"vec\t{api}\t{dtype}\t{r.elements_per_cycle:g}\t{r.fixed_cycles:g}"
        for (api, dtype), r in sorted(vector_rates().items())
    ]
    return "\n".join(lines) + "\n"
