// Runtime entry points behind flags, barriers and the identity of the running core.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

AKGEN_API void set_flag(Pipe from, Pipe to, int32_t id);
AKGEN_API void wait_flag(Pipe from, Pipe to, int32_t id);
AKGEN_API void pipe_barrier(Pipe pipe);
AKGEN_API void sync_all(bool vector_only);
// The soft form polls counters in `workspace` (32 bytes per core) and needs `scratch` of the same size.
AKGEN_API void sync_all_soft(uint8_t *workspace, View scratch, int32_t cores);
AKGEN_API void cross_core_set(uint32_t mode, Pipe pipe, uint32_t id);
AKGEN_API void cross_core_wait(uint32_t id);
AKGEN_API void block_set(uint8_t *workspace, View scratch, int32_t block, int32_t event, bool vector_only);
AKGEN_API void block_wait(uint8_t *workspace, View scratch, int32_t block, int32_t event, bool vector_only);
// Blocks in turns, by index, round after round: 32 bytes of `workspace` for each.
AKGEN_API void order_begin(uint8_t *workspace, View scratch);
AKGEN_API void order_wait(uint8_t *workspace, View scratch);
AKGEN_API void order_notify(uint8_t *workspace, View scratch);

// Cores in two groups: those that arrive, and those that wait for all of them, round after round.
AKGEN_API void group_arrive(uint8_t *workspace, uint32_t arrivers, uint32_t index);
AKGEN_API void group_wait(uint8_t *workspace, uint32_t arrivers, uint32_t index);

AKGEN_API int64_t block_idx();     // GetBlockIdx: counts vector cores on a vector core
AKGEN_API int64_t raw_block_idx(); // get_block_idx: counts blocks
AKGEN_API int64_t block_num();
AKGEN_API int64_t sub_block_idx();
AKGEN_API int64_t sub_block_num();
AKGEN_API int64_t task_ratio();
AKGEN_API bool on_cube_core();
AKGEN_API int64_t system_cycle();
AKGEN_API int64_t program_counter(); // of the caller, from the start of the kernel's library

AKGEN_API uint8_t *system_workspace();
AKGEN_API void set_system_workspace(uint8_t *workspace);
AKGEN_API uint8_t *user_workspace(uint8_t *workspace);

} // namespace akgen::twin
