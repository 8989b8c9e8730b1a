// On-chip memory handed out by a TPipe, for the runtime's own callers.
#pragma once
#include "akgen/queue.h"

namespace akgen::twin {

void require_pipe(const char *api, const void *pc); // traps unless a TPipe lives
// Take `bytes`, rounded up to 32, from a position's memory or from a pool; traps UB_OVERFLOW with the numbers.
Buffer take_buffer(uint8_t position, uint32_t bytes, uint32_t pool, uint32_t copies, const char *api, const void *pc);
// Wait for the events that freed buffers carry, and warn about tensors that nobody freed.
void settle_queues(bool report_leaks);

} // namespace akgen::twin
