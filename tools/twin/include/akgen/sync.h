// Runtime entry points behind flags, barriers, the identity of the running core, TPipe, TQue, TBuf and TBufPool.
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

// A piece of on-chip memory handed to a kernel.
struct Buffer {
    uint8_t *data;
    uint32_t size_bytes;
};

AKGEN_API void pipe_begin(void *pipe);
AKGEN_API void pipe_use(void *pipe); // before it gives buffers; PIPE_TWICE if another one has given some
AKGEN_API void pipe_reset(void *pipe);
AKGEN_API void pipe_destroy(void *pipe);
// The same without its barrier: copies and instructions may still be under way.
AKGEN_API void pipe_leave(void *pipe);
AKGEN_API void *current_pipe();
AKGEN_API uint64_t position_base(uint8_t position);
// Bytes of a position's memory that no buffer has taken yet.
AKGEN_API uint32_t free_bytes(uint8_t position);
// The end of the memory that no buffer has taken, for an interface that needs scratch space. At least
// `bytes`, or all of it for 0.
AKGEN_API Buffer stack_buffer(uint8_t position, uint32_t bytes, const char *api);

// Take `count` buffers of `bytes` bytes for a queue and return its number. `queue` is the number it had (0: none yet).
AKGEN_API uint32_t queue_init(uint32_t queue, uint8_t from, uint8_t to, uint32_t depth, uint32_t count, uint32_t bytes,
                              uint32_t pool);
// The same in two steps: `count` buffers without memory, then each at an offset into the queue's memory; nothing is taken.
AKGEN_API uint32_t queue_bare(uint32_t queue, uint8_t from, uint8_t to, uint32_t depth, uint32_t count);
AKGEN_API void queue_place(uint32_t queue, uint32_t index, uint32_t address, uint32_t bytes);
AKGEN_API Buffer tbuf_place(uint8_t position, uint32_t address, uint32_t bytes);
AKGEN_API Buffer queue_alloc(uint32_t queue);
AKGEN_API void queue_enque(uint32_t queue, const uint8_t *data, uint8_t from, uint8_t to);
AKGEN_API Buffer queue_deque(uint32_t queue, uint8_t from, uint8_t to);
AKGEN_API void queue_free(uint32_t queue, const uint8_t *data);
AKGEN_API void queue_free_events(uint32_t queue);
AKGEN_API uint32_t queue_count(uint32_t queue);                     // tensors enqueued and not yet dequeued
AKGEN_API uint8_t queue_state(uint32_t queue, const uint8_t *data); // of a buffer: free, allocated, enqueued, dequeued
AKGEN_API uint32_t queue_idle(uint32_t queue);                      // buffers that AllocTensor could give

// Memory for an array of the source at `place`, the same at each call of a core; traps UB_OVERFLOW.
AKGEN_API uint8_t *static_buffer(uint8_t position, uint32_t place, uint64_t bytes);
AKGEN_API Buffer tbuf_init(uint8_t position, uint32_t bytes, uint32_t pool);
// Check that a TBuf of `have` bytes was initialised and holds `offset + want` bytes (want 0: the rest).
AKGEN_API void tbuf_get(const uint8_t *data, uint32_t have, uint64_t offset, uint64_t want);

// A pool is a buffer that other buffers are taken from; pools may share memory with one another.
AKGEN_API uint32_t pool_init(uint32_t pool, uint8_t position, uint32_t bytes, uint32_t parent, uint32_t share);
AKGEN_API void pool_reset(uint32_t pool);
AKGEN_API uint32_t pool_address(uint32_t pool); // its offset into its memory

AKGEN_API int32_t event_alloc(Pipe from, Pipe to);
AKGEN_API int32_t event_fetch(Pipe from, Pipe to);
AKGEN_API void event_release(Pipe from, Pipe to, int32_t id);

} // namespace akgen::twin
