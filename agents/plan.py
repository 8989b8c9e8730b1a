"""What a planner hands to a coder: thought, category, API choices, and a tiling that is refused where it cannot fit."""

from typing import Literal

from pydantic import Field

from akgen.knowledge.chip import Chip
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic

Category = Literal[
    "elementwise", "activation", "comparison", "cast", "broadcast", "reduction", "softmax", "normalization",
    "loss", "optimizer", "index", "creation", "matmul", "attention", "convolution", "pooling", "scan", "sort", "resize",
    "quantisation", "layout", "other",
]  # fmt: skip


class Buffer(Frozen):
    """One on-chip buffer of a tiling; `size_bytes` is one copy, `copies` 2 means double buffering."""

    name: str
    space: Literal["UB", "L1", "L0A", "L0B", "L0C"] = "UB"
    role: Literal["in", "out", "temp"]
    dtype: DType
    size_bytes: int
    copies: int = 1


CoreType = Literal["vector", "cube", "mix"]  # mix: a cube core with its two vector cores


class CubeTiling(Frozen):
    """The base block of a product: base_m x base_k of A and base_k x base_n of B in L0, base_m x base_n of C."""

    base_m: int = Field(ge=1)
    base_n: int = Field(ge=1)
    base_k: int = Field(ge=1)
    dtype: DType


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
    core_type: CoreType = "vector"
    workspace_bytes: int = 0  # of the kernel's own, beside the library's
    cube: CubeTiling | None = None  # of a product


class Plan(Frozen):
    """A planner's answer. `origin` names who planned ("composer", "model:NAME", ...)."""

    origin: str
    category: Category
    thought: str  # the chain of thought, for people and for training data
    tiling: Tiling | None = None
    apis: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    route: Literal["ascendc", "dsl", "direct"] = "ascendc"
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
    if tiling.cube is not None:
        found += _check_block(tiling.cube, chip)
    on_cube = tiling.core_type != "vector" or any(b.space != "UB" for b in tiling.buffers)
    cores = chip.core_aic if on_cube else chip.core_aiv
    if tiling.block_dim > cores:
        text = f"The plan asks for {tiling.block_dim} cores; {chip.name} has {cores}."
        found.append(Diagnostic(code="PLAN_CORES", stage="plan", text=text))
    return tuple(found)


FRACTAL = 16  # rows and columns of the blocks that the cube works on
ACCUMULATOR_BYTES = 4  # float32 or int32


def _check_block(block: CubeTiling, chip: Chip) -> list[Diagnostic]:
    """Return what is wrong with a base block: parts that L0 cannot hold, sizes that are no multiples of 16."""
    size = block.dtype.size_bytes
    parts = (
        ("L0A", chip.l0a_size, block.base_m * block.base_k * size, "base_m x base_k of A"),
        ("L0B", chip.l0b_size, block.base_k * block.base_n * size, "base_k x base_n of B"),
        (
            "L0C",
            chip.l0c_size,
            block.base_m * block.base_n * ACCUMULATOR_BYTES,
            "base_m x base_n of C in 32 bits",
        ),
    )
    found = [
        Diagnostic(
            code="PLAN_OVERFLOW", stage="plan", text=f"{space} holds {room} bytes; {what} takes {needed}."
        )
        for space, room, needed, what in parts
        if needed > room
    ]
    for name in ("base_m", "base_n", "base_k"):
        value = getattr(block, name)
        if value % FRACTAL:
            text = f"{name} is {value}; the cube works on blocks of 16: take a multiple of 16."
            found.append(Diagnostic(code="PLAN_ALIGNMENT", stage="plan", text=text))
    return found
