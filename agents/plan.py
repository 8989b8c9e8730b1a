"""What a planner hands to a coder: thought, category, a checked tiling, API choices."""

from typing import Literal

from akgen.tools.dtypes import DType
from akgen.tools.frozen import Frozen

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
