"""Which kinds of core a kernel's source is for: it is compiled once for each, as the vendor's compiler does."""

import re
from enum import StrEnum


class Side(StrEnum):
    """A kind of core. The value is what distinguishes files and symbols."""

    CUBE = "aic"
    VECTOR = "aiv"


CORE_TYPE = {Side.CUBE: 1, Side.VECTOR: 2}  # AscendC::AIC, AscendC::AIV

# Words that only a kernel with a part for cube cores has. The high-level Matmul alone has none: its object works for
# the vector core that owns it.
_CUBE = re.compile(
    r"\b(?:Mmad|Fixpipe|LoadData|LoadDataWithTranspose|Nd2NzParams|KERNEL_TYPE_AIC_ONLY|KERNEL_TYPE_MIX_AIC_1_0"
    r"|ASCEND_IS_AIC|ASCEND_IS_NOT_AIV|ASCENDC_CUBE_ONLY|__DAV_C220_CUBE__)\b|AscendC\s*::\s*AIC\b"
)
_MIXED = re.compile(r"\bKERNEL_TYPE_MIX_AIC_1_[12]\b")
_ASKS = re.compile(r"\b(?:g_coreType|ASCEND_IS_\w+|SyncAll\s*<\s*false)\b")
# Entry points of the runtime that a program may call without doing any work.
_IDLE = frozenset(
    {
        "read_tiling",
        "block_idx",
        "raw_block_idx",
        "block_num",
        "sub_block_idx",
        "sub_block_num",
        "task_ratio",
        "on_cube_core",
        "system_workspace",
        "set_system_workspace",
        "user_workspace",
        "pipe_begin",
        "pipe_reset",
        "pipe_destroy",
        "current_pipe",
        "position_base",
        "free_bytes",
        "queue_init",
        "tbuf_init",
        "tbuf_get",
        "pool_init",
        "static_tensor",
        "event_alloc",
        "event_fetch",
        "event_release",
        "keep_shape",
        "recall_shape",
    }
)
_ENTRY_POINT = re.compile(r"_ZN5akgen4twin\d+([a-z_0-9]+?)E")


def sides_of(text: str) -> tuple[Side, ...]:
    """Return for which kinds of core the kernel (comments removed) has to be compiled."""
    asks = _MIXED.search(text) and _ASKS.search(text)
    return (Side.CUBE, Side.VECTOR) if asks or _CUBE.search(text) else (Side.VECTOR,)


def works(undefined: frozenset[str]) -> bool:
    """Say whether a program that needs these symbols does anything."""
    called = (m[1] for name in undefined if (m := _ENTRY_POINT.match(name)))
    return any(name not in _IDLE for name in called)


def symbol_of(symbol: str, side: Side) -> str:
    """Return the kernel function's name on this side."""
    return f"{symbol}_{side}" if side is Side.CUBE else symbol
