// Buffers at addresses that the kernel chooses: queues and TBufs of a pool of its own, or with given addresses.
#include "akgen/sync.h"
#include "core.h"
#include "pipe.h"

namespace akgen::twin {

static Buffer buffer_at(uint8_t position, uint32_t address, uint32_t bytes, const char *api, const void *pc)
{
    self->last_pc = pc;
    require_pipe(api, pc);
    const Space space = space_of_position(position);
    if (space == Space::GM || space == Space::NONE) {
        trap("WRONG_MEMORY", api, pc, "%s: the position names no on-chip memory.", api);
    }
    const Region &region = region_of(space);
    if (address % 32 != 0) {
        trap("UB_ALIGNMENT", api, pc, "%s: a buffer at byte %u of %s; addresses are multiples of 32.", api, address,
             space_name(space));
    }
    if (uint64_t{address} + bytes > region.size_bytes) {
        trap("UB_OVERFLOW", api, pc, "%s: %u bytes at byte %u do not fit into %s, which has %u bytes.", api, bytes,
             address, space_name(space), region.size_bytes);
    }
    return {region.begin + address, (bytes + 31) / 32 * 32};
}

uint32_t queue_bare(uint32_t number, uint8_t from, uint8_t to, uint32_t depth, uint32_t count)
{
    return open_queue(number, from, to, depth, count, __builtin_return_address(0));
}

void queue_place(uint32_t number, uint32_t index, uint32_t address, uint32_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (number == 0 || number > self->queues.size() || index >= self->queues[number - 1].slots.size()) {
        trap("QUEUE_STATE", "InitBufHandle", pc,
             "InitBufHandle: the queue has no buffer %u; InitStartBufHandle says how many it has.", index);
    }
    Queue &queue = self->queues[number - 1];
    const uint8_t held = queue.held();
    Slot &slot = queue.slots[index];
    slot.buffer = buffer_at(held, address, bytes, "InitBufHandle", pc);
    slot.logged = log_buffer(held, slot.buffer, pc);
}

Buffer tbuf_place(uint8_t position, uint32_t address, uint32_t bytes)
{
    const void *pc = __builtin_return_address(0);
    const Buffer buffer = buffer_at(position, address, bytes, "InitBufHandle", pc);
    self->log.hold(log_buffer(position, buffer, pc), true, false);
    return buffer;
}

uint32_t pool_address(uint32_t number)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (number == 0 || number > self->pools.size()) {
        trap("QUEUE_STATE", "TBufPool", pc, "TBufPool: the pool was not initialised.");
    }
    const uint8_t *begin = self->pools[number - 1].region.begin;
    return static_cast<uint32_t>(begin - place_of(begin).region->begin);
}

} // namespace akgen::twin
