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
    r"\b(?:Mmad|MmadWithSparse|Fixpipe|LoadData|LoadDataWithTranspose|LoadDataWithSparse|Nd2NzParams"
    r"|KERNEL_TYPE_AIC_ONLY|KERNEL_TYPE_MIX_AIC_1_0|ASCEND_IS_AIC|ASCEND_IS_NOT_AIV|ASCENDC_CUBE_ONLY|__DAV_C220_CUBE__)\b|(?:AscendC|EngineType)\s*::\s*AIC\b"
)
_HEADER = re.compile(
    r"\b(?:Mmad\w*|Fixpipe\w*|LoadData\w*|Nd2Nz\w*|QuantMode_t|CFG_ROW_MAJOR|CFG_NZ|CO2Layout|InitConstValue\w*"
    r"|DataCopyCO12DstParams|SetFix\w+|SetHF32\w*|SetMM\w+|HF32\w*Mode|\w*F[mM]atrix\w*|\w*Load3d\w*|multiplies"
    r"|NoQuant|F322F16|F322BF16|V?QF322B8_PRE|V?DEQF16|V?REQ8)\b"
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
        "pipe_use",
        "pipe_reset",
        "pipe_destroy",
        "current_pipe",
        "position_base",
        "free_bytes",
        "queue_init",
        "tbuf_init",
        "pool_address",
        "tbuf_place",
        "queue_place",
        "queue_bare",
        "tbuf_get",
        "pool_init",
        "pool_reset",
        "static_tensor",
        "event_alloc",
        "event_fetch",
        "event_release",
        "set_saturation",
        "saturation",
        "cache_hint",
        "program_counter",
        "queue_state",
        "static_buffer",
        "atomic_type",
        "pipe_leave",
        "set_filler",
        "filler",
        "keep_shape",
        "recall_shape",
    }
)
# Those that both kinds of core have, and those of cube cores. All others are the vector unit's.
_COMMON = frozenset(
    {
        "copy_in",
        "copy_out",
        "copy_local",
        "copy_in_rows",
        "copy_out_rows",
        "copy_local_rows",
        "pad_in",
        "pad_out",
        "pad_local",
        "fill_global",
        "set_atomic",
        "set_atomic_type",
        "set_atomic_op",
        "clean_cache",
        "set_flag",
        "wait_flag",
        "pipe_barrier",
        "sync_all",
        "sync_all_soft",
        "cross_core_set",
        "cross_core_wait",
        "block_set",
        "block_wait",
        "group_arrive",
        "group_wait",
        "system_cycle",
        "queue_alloc",
        "queue_enque",
        "queue_deque",
        "queue_free",
        "queue_free_events",
        "queue_count",
        "queue_idle",
        "stack_buffer",
        "local_scalar",
        "global_scalar",
        "global_scalar_direct",
        "local_reference",
        "global_reference",
        "order_begin",
        "order_wait",
        "order_notify",
        "set_nibble",
        "assert_failed",
        "print",
        "dump",
        "kernel_trap",
    }
)
_CUBE_ONLY = frozenset(
    {
        "nd_to_nz",
        "load_fractals",
        "load_fractals_global",
        "load_squares",
        "load_sparse",
        "load_image",
        "image_shape",
        "image_padding",
        "image_repeat",
        "image_boundary",
        "fill_cube",
        "multiply",
        "multiply_in_hf32",
        "round_hf32_away",
        "fix_out",
        "fix_to_l1",
        "fix_scale",
        "fix_scales",
        "fix_matrices",
        "fix_legacy",
        "fix_legacy_to_l1",
    }
)
_ENTRY_POINT = re.compile(r"_ZN5akgen4twin\d+([a-z_0-9]+?)E")


def sides_of(text: str) -> tuple[Side, ...]:
    """Return for which kinds of core the kernel (comments removed) has to be compiled."""
    asks = _MIXED.search(text) and _ASKS.search(text)
    return (Side.CUBE, Side.VECTOR) if asks or _CUBE.search(text) else (Side.VECTOR,)


def names_cube(text: str) -> bool:
    """Say whether the kernel names anything of the cube core's header, which costs every kernel that includes it."""
    return _HEADER.search(text) is not None


def works(undefined: frozenset[str], side: Side) -> bool:
    """Say whether a program that needs these symbols does anything on this kind of core.

    One that calls for the cube unit outside of any condition, and for no vector unit, is for cube cores alone.
    """
    called = {m[1] for name in undefined if (m := _ENTRY_POINT.match(name))} - _IDLE
    if side is Side.VECTOR and called & _CUBE_ONLY:
        return bool(called - _COMMON - _CUBE_ONLY)
    return bool(called)


def symbol_of(symbol: str, side: Side) -> str:
    """Return the kernel function's name on this side."""
    return f"{symbol}_{side}" if side is Side.CUBE else symbol
