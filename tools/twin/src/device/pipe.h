// What a TPipe keeps for the runtime's own callers: on-chip memory that it hands out, flags and event ids.
#pragma once
#include "akgen/sync.h"
#include "akgen/runtime.h"

namespace akgen::twin {

void require_pipe(const char *api, const void *pc); // traps unless a TPipe lives
// Take `bytes`, rounded up to 32, from a position's memory or from a pool; traps UB_OVERFLOW with the numbers.
Buffer take_buffer(uint8_t position, uint32_t bytes, uint32_t pool, uint32_t copies, const char *api, const void *pc);
// Begin a queue with so many buffers that have no memory yet, in place of the one of this number; returns its number.
uint32_t open_queue(uint32_t number, uint8_t from, uint8_t to, uint32_t depth, uint32_t count, const void *pc);
// Note it for a trace; returns its number in the log.
uint32_t log_buffer(uint8_t position, const Buffer &buffer, const void *pc);
// Trap UB_OVERFLOW if InitBuffer left fewer bytes of the Unified Buffer for an API to work in. The system keeps the last 256.
void require_left(const char *api, const void *pc, uint64_t bytes);
// Warn UB_OVERFLOW if InitBuffer gave out some of the last `bytes` of the Unified Buffer, where an API keeps values.
void warn_of_little_left(const char *api, const void *pc, uint64_t bytes);
// Wait for the events that freed buffers carry, and warn about tensors that nobody freed.
void settle_queues(bool report_leaks);
// Wait for the events of a queue's buffers; the queue stays in use.
void settle_queue(struct Queue &queue, bool report_leaks);

// Flags and event ids, for the runtime's own callers.
// The queue whose buffer a flag gives back, and how many buffers it has; for the timeline. None: some other flag.
// `by_queue`: an operation of a queue, which does more than to set a flag or wait for it.
struct GivenBack {
    uint32_t queue = 0, buffers = 0;
    bool by_queue = false;
};
void raise_flag(Pipe from, Pipe to, int32_t id, const void *pc, GivenBack of = {});
void await_flag(Pipe from, Pipe to, int32_t id, const void *pc, GivenBack of = {});
int32_t take_event(Pipe from, Pipe to, const char *api, const void *pc); // traps when all are taken
void give_event(Pipe from, Pipe to, int32_t id);
void check_flags_left(); // warn about flags that are still set when a core's program ends

} // namespace akgen::twin
