"""Chip facts: memory sizes, core counts, clock, and the numbers of the time model."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from akgen.knowledge.data_files import KnowledgeFact, read_csv

DEFAULT_CHIP = "Ascend910B2"
MEASURED_CHIP = "Ascend910B1"  # most published timings, and the clock that published cycles are counted in


class Chip(KnowledgeFact):
    """One chip. Sizes in bytes, clock in MHz. Source: the vendor's platform configuration, per chip name."""

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
    hbm_bytes_per_us: int  # nominal; documentation gives 1.6 and, for the chips with 32 GB, 0.8 TB/s

    @property
    def reached_bytes_per_us(self) -> float:
        """Return the memory bandwidth that all cores reach together: measured on one chip, in proportion on others."""
        measured = chip(MEASURED_CHIP).hbm_bytes_per_us
        return timing()["hbm_bytes_per_us_total"] * self.hbm_bytes_per_us / measured


class VectorRate(NamedTuple):
    """One row of the throughput table: elements per cycle once running, and fixed cycles per instruction."""

    elements_per_cycle: float
    fixed_cycles: float


@cache
def chips() -> dict[str, Chip]:
    return {row["name"]: Chip.model_validate(row) for row in read_csv("chips.csv")}


def chip(name: str = DEFAULT_CHIP) -> Chip:
    """Return the facts of one chip; raise KeyError with the known names."""
    try:
        return chips()[name]
    except KeyError:
        raise KeyError(f"unknown chip {name!r}; known: {', '.join(chips())}") from None


@cache
def timing() -> dict[str, float]:
    """Return the time model's constants by key; units are in the key, sources in data/timing.csv."""
    return {row["key"]: float(row["value"]) for row in read_csv("timing.csv")}


@cache
def vector_rates() -> dict[tuple[str, str], VectorRate]:
    """Return throughput by (API, dtype); a conversion's dtype is `from->to`."""
    return {
        (row["api"], row["dtype"]): VectorRate(float(row["elements_per_cycle"]), float(row["fixed_cycles"]))
        for row in read_csv("vector_throughput.csv")
    }


def constant_lines(constants: Mapping[str, float]) -> str:
    """Write constants for the end of a chip file, where a later line replaces an earlier one.

    `vec API DTYPE` names the elements per cycle of an instruction.
    """
    return "".join(_constant(key, value) for key, value in constants.items())


def today(key: str) -> float:
    """Return a constant of the data files, by the names that `constant_lines` takes. Raises KeyError."""
    if not key.startswith("vec "):
        return timing()[key]
    _, api, dtype = key.split()
    return vector_rates()[api, dtype].elements_per_cycle


def _constant(key: str, value: float) -> str:
    if not key.startswith("vec "):
        return f"{key}\t{value:g}\n"
    _, api, dtype = key.split()
    return f"vec\t{api}\t{dtype}\t{value:g}\t{vector_rates()[api, dtype].fixed_cycles:g}\n"


def launcher_text(of: Chip) -> str:
    """Write the chip file that the twin's programs read: tab-separated `key value`, then `vec` rows."""
    lines = [f"soc\t{of.name}"]
    lines += [f"{key}\t{value}" for key, value in of.model_dump().items() if key != "name"]
    numbers = timing() | {"hbm_bytes_per_us_total": of.reached_bytes_per_us}
    lines += [f"{key}\t{value:g}" for key, value in numbers.items()]
    lines += [
        f"vec\t{api}\t{dtype}\t{r.elements_per_cycle:g}\t{r.fixed_cycles:g}"
        for (api, dtype), r in sorted(vector_rates().items())
    ]
    return "\n".join(lines) + "\n"
