"""What a planner hands to a coder: thought, category, API choices, and a tiling that is refused where it cannot fit."""

from typing import Literal

from akgen.knowledge.chip import Chip
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic

Category = Literal[
    "elementwise", "activation", "comparison", "cast", "broadcast", "reduction", "softmax", "normalization",
    "loss", "optimizer", "index", "creation", "matmul", "pooling", "other",
]  # fmt: skip


class Buffer(Frozen):
    """One on-chip buffer of a tiling; `size_bytes` is one copy, `copies` 2 means double buffering."""

    name: str
    space: Literal["UB", "L1", "L0A", "L0B", "L0C"] = "UB"
    role: Literal["in", "out", "temp"]
    dtype: DType
    size_bytes: int
    copies: int = 1


class Tiling(Frozen):
    """How the work is cut. Lengths are in elements."""

    block_dim: int
    tile_length: int
    buffers: tuple[Buffer, ...]
    ub_bytes: int  # all copies of all UB buffers
    double_buffer: bool
    align_bytes: int = 32
    tail: str = ""  # how the last, shorter tile is handled
    split: str = ""  # what the cores divide among them: "elements", "rows", ...


class Plan(Frozen):
    """A planner's answer. `origin` names who planned ("composer", "model:NAME", ...)."""

    origin: str
    category: Category
    thought: str  # the chain of thought, for people and for training data
    tiling: Tiling | None = None
    apis: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    route: Literal["ascendc", "dsl"] = "ascendc"
    dsl: str | None = None  # tile DSL text, where the plan already is a program
    shared: bool = (
        False  # every sample works from it; a model, and what stands in for it, plans for each anew
    )


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
