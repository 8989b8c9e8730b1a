"""Refuse a tiling that cannot fit, with the numbers, before anyone writes code."""

from akgen.agents.plan import Tiling
from akgen.knowledge.chip import Chip
from akgen.tools.outcome import Diagnostic

BLOCK_BYTES = 32  # on-chip buffers start and end at multiples of this


def check_tiling(tiling: Tiling, chip: Chip) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a tiling; empty if it fits the chip.

    Checks capacities of every buffer kind, 32-byte sizes and the number of cores; not whether the buffers suffice.
    """
    capacity = {
        "UB": chip.ub_size, "L1": chip.l1_size, "L0A": chip.l0a_size, "L0B": chip.l0b_size, "L0C": chip.l0c_size,
    }  # fmt: skip
    found = []
    for space, size in capacity.items():
        mine = [b for b in tiling.buffers if b.space == space]
        used = sum(b.size_bytes * b.copies for b in mine)
        if used > size:
            sums = " + ".join(f"{b.name} {b.size_bytes} × {b.copies}" for b in mine)
            found.append(
                Diagnostic(
                    code="PLAN_OVERFLOW",
                    stage="plan",
                    text=f"{space} holds {size} bytes; the plan needs {used}: {sums}.",
                )
            )
    for b in tiling.buffers:
        if b.size_bytes % BLOCK_BYTES or b.size_bytes <= 0 or b.copies < 1:
            text = (
                f"Buffer {b.name} has {b.size_bytes} bytes × {b.copies}; sizes are positive multiples of 32."
            )
            found.append(Diagnostic(code="PLAN_ALIGNMENT", stage="plan", text=text))
    cores = chip.core_aic if any(b.space != "UB" for b in tiling.buffers) else chip.core_aiv
    if tiling.block_dim > cores:
        text = f"The plan asks for {tiling.block_dim} cores; {chip.name} has {cores}."
        found.append(Diagnostic(code="PLAN_CORES", stage="plan", text=text))
    return tuple(found)
