// TPipe, TBuf, TBufPool: who owns which piece of on-chip memory.
#include "pipe.h"
#include "core.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

namespace {
uint32_t whole_blocks(uint32_t bytes) { return (bytes + 31) / 32 * 32; }

constexpr uint32_t most_of_a_pipe = 64; // TPipe::InitBuffer in the vendor's reference

void forget_buffers()
{
    settle_queues(false);
    self->log.let_go();
    for (Region &region : self->regions) {
        region.taken_bytes = 0;
        region.single_bytes = 0;
    }
    for (Pool &pool : self->pools) {
        pool.live = false;
    }
    self->buffers = 0;
    std::memset(self->event_used, 0, sizeof self->event_used);
}

void warn_of_two_pipes(const char *api, const void *pc)
{
    if (self->pipe && self->buffers > 0) {
        warn("PIPE_TWICE", api, pc,
             "%s: another TPipe of this core has given out %u buffer%s, and both give the same memory and event ids.",
             api, self->buffers, self->buffers > 1 ? "s" : "");
    }
}
} // namespace

void require_pipe(const char *api, const void *pc)
{
    if (!self->pipe) {
        trap("QUEUE_STATE", api, pc, "%s: no TPipe lives on this core; the one that did was destroyed.", api);
    }
}

void pipe_begin(void *pipe)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (self->pipe != pipe) {
        warn_of_two_pipes("TPipe", pc);
        forget_buffers();
        self->log.event(Kind::scalar, 0, 0, static_cast<uint32_t>(so_offset(pc)), 1, scalar_pipe);
    }
    self->pipe = pipe;
}

void pipe_use(void *pipe)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (self->pipe && self->pipe != pipe) {
        warn_of_two_pipes("InitBuffer", pc);
        forget_buffers(); // each gives memory and event ids from their beginning
        self->pipe = pipe;
    }
}

void pipe_reset(void *)
{
    self->last_pc = __builtin_return_address(0);
    forget_buffers();
}

static void end_pipe(void *pipe, bool barrier)
{
    if (self->pipe == pipe) {
        settle_queues(true);
        forget_buffers();
        if (barrier) {
            self->detector.barrier(Pipe::ALL);
        }
        self->pipe = nullptr;
    }
}
void pipe_destroy(void *pipe)
{
    self->last_pc = __builtin_return_address(0);
    end_pipe(pipe, true); // Destroy ends with a barrier on all pipes
}
void pipe_leave(void *pipe)
{
    self->last_pc = __builtin_return_address(0);
    end_pipe(pipe, false);
}

void *current_pipe()
{
    require_pipe("GetTPipePtr", __builtin_return_address(0));
    return self->pipe;
}

template <class Visit> static void of_pool(const Pool &pool, Visit visit)
{
    for (Queue &queue : self->queues) {
        if (queue.live && !queue.slots.empty() && pool.region.holds(queue.slots[0].buffer.data)) {
            visit(queue);
        }
    }
}

Buffer take_buffer(uint8_t position, uint32_t bytes, uint32_t pool, uint32_t copies, const char *api, const void *pc)
{
    const Space space = space_of_position(position);
    if (space == Space::GM || space == Space::NONE) {
        trap("WRONG_MEMORY", api, pc, "%s: the position names no on-chip memory.", api);
    }
    if (pool > self->pools.size()) {
        trap("QUEUE_STATE", api, pc, "%s: the buffer pool was not initialised.", api);
    }
    if (pool == 0 && ++self->buffers > most_of_a_pipe) {
        trap("BUFFER_COUNT", api, pc,
             "%s: this is buffer %u of the pipe, which keeps %u in all queues and TBufs together.", api, self->buffers,
             most_of_a_pipe);
    }
    if (pool && self->pools[pool - 1].reset) { // its buffers could have been used again, too
        Pool &again = self->pools[pool - 1];
        of_pool(again, [](Queue &queue) { queue.live = false; });
        again.region.taken_bytes = 0;
        again.reset = false;
    }
    Region &region = pool ? self->pools[pool - 1].region : region_of(space);
    const uint32_t size = whole_blocks(bytes);
    if (uint64_t{region.taken_bytes} + size > region.size_bytes) {
        // Kernels initialise buffers that some of their types never use, so that only the use is an error.
        const char *where = pool ? "the buffer pool" : space_name(space);
        if (pool || uint64_t{region.taken_bytes} + size > region.size_bytes + overflow_bytes) {
            trap("UB_OVERFLOW", api, pc,
                 "%s: %u x %u bytes do not fit into %s, which has %u bytes, of which %u are taken.", api, copies, size,
                 where, region.size_bytes, region.taken_bytes);
        }
        remark("UB_OVERFLOW", api, pc,
               "%s: %u x %u bytes do not fit into %s, which has %u bytes, of which %u are taken.", api, copies, size,
               where, region.size_bytes, region.taken_bytes);
    }
    Buffer buffer{region.begin + region.taken_bytes, size};
    region.taken_bytes += size;
    if (pool == 0) {
        region.most_bytes = std::max(region.most_bytes, region.taken_bytes);
    }
    return buffer;
}

uint32_t log_buffer(uint8_t position, const Buffer &buffer, const void *pc)
{
    const Space space = space_of_position(position);
    const auto offset = static_cast<uint32_t>(buffer.data - region_of(space).begin);
    return self->log.add_buffer({space, offset, buffer.size_bytes, static_cast<uint32_t>(so_offset(pc))});
}

Buffer tbuf_init(uint8_t position, uint32_t bytes, uint32_t pool)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    require_pipe("InitBuffer", pc);
    const Buffer buffer = take_buffer(position, bytes, pool, 1, "InitBuffer", pc);
    self->log.hold(log_buffer(position, buffer, pc), true, false);
    return buffer;
}

void tbuf_get(const uint8_t *data, uint32_t have, uint64_t offset, uint64_t want)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (!data) {
        return; // a tensor without memory: harmless until it is used
    }
    if (offset > have) {
        trap("TENSOR_RANGE", "TBuf::Get", pc, "TBuf::Get: offset %llu in a buffer of %u bytes.",
             static_cast<unsigned long long>(offset), have);
    }
    if (offset + want > have) { // no more than a number until somebody uses what lies behind
        remark("TENSOR_RANGE", "TBuf::Get", pc, "TBuf::Get: bytes %llu to %llu of a buffer of %u bytes.",
               static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset + want), have);
    }
}

uint8_t *static_buffer(uint8_t position, uint32_t place, uint64_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    for (const Core::StaticArray &array : self->arrays) {
        if (array.place == place && array.bytes == bytes && array.position == position) {
            return array.data;
        }
    }
    const uint64_t whole = (bytes + 511) / 512 * 512; // at which L0A and L0B begin
    const Region &region = region_of(space_of_position(position));
    if (region.taken_bytes + whole > region.size_bytes) {
        trap("UB_OVERFLOW", "an array", pc,
             "An array of %llu bytes does not fit into %s, of whose %u bytes %u are taken.",
             static_cast<unsigned long long>(bytes), space_name(space_of_position(position)), region.size_bytes,
             region.taken_bytes);
    }
    const uint32_t count = self->buffers;
    const Buffer buffer = take_buffer(position, static_cast<uint32_t>(whole), 0, 1, "an array", pc);
    self->buffers = count; // no pipe's
    self->arrays.push_back({place, position, bytes, buffer.data});
    return buffer.data;
}

uint32_t pool_init(uint32_t number, uint8_t position, uint32_t bytes, uint32_t parent, uint32_t share)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    require_pipe("InitBufPool", pc);
    if (number == 0) {
        self->pools.emplace_back();
        number = static_cast<uint32_t>(self->pools.size());
    }
    Pool pool;
    pool.live = true;
    if (share) {
        const Region &other = self->pools[share - 1].region;
        if (bytes > other.size_bytes) {
            trap("UB_OVERFLOW", "InitBufPool", pc, "InitBufPool: %u bytes shared with a pool of %u bytes.", bytes,
                 other.size_bytes);
        }
        pool.region.begin = other.begin;
        pool.region.size_bytes = whole_blocks(bytes);
    } else {
        const Buffer memory = take_buffer(position, bytes, parent, 1, "InitBufPool", pc);
        pool.region.begin = memory.data;
        pool.region.size_bytes = memory.size_bytes;
    }
    self->pools[number - 1] = pool;
    return number;
}

void pool_reset(uint32_t number)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (number == 0 || number > self->pools.size()) {
        trap("QUEUE_STATE", "TBufPool::Reset", pc, "TBufPool::Reset: the pool was not initialised.");
    }
    Pool &pool = self->pools[number - 1];
    of_pool(pool, [](Queue &queue) { settle_queue(queue, false); });
    pool.reset = true;
}

uint64_t position_base(uint8_t position)
{
    const Space space = space_of_position(position);
    return space == Space::GM || space == Space::NONE ? 0 : reinterpret_cast<uint64_t>(region_of(space).begin);
}

uint32_t free_bytes(uint8_t position)
{
    const Region &region = region_of(space_of_position(position));
    return region.taken_bytes < region.size_bytes ? region.size_bytes - region.taken_bytes : 0;
}

static uint64_t left_of(const Region &ub, uint32_t of_the_system)
{
    const uint64_t used = uint64_t{ub.taken_bytes} + of_the_system;
    return used < ub.size_bytes ? ub.size_bytes - used : 0;
}

void warn_of_little_left(const char *api, const void *pc, uint64_t bytes)
{
    const Region &ub = region_of(Space::UB);
    const uint64_t left = left_of(ub, 0);
    if (bytes > left) {
        warn("UB_OVERFLOW", api, pc,
             "%s keeps values of its own in the last %llu bytes of the Unified Buffer; InitBuffer leaves %llu of %u.",
             api, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(left), ub.size_bytes);
    }
}

void require_left(const char *api, const void *pc, uint64_t bytes)
{
    constexpr uint32_t of_the_system = 256;
    const Region &ub = region_of(Space::UB);
    const uint64_t left = left_of(ub, of_the_system);
    if (bytes > left) {
        trap("UB_OVERFLOW", api, pc,
             "%s works in what InitBuffer leaves of the Unified Buffer and needs %llu bytes; %llu are left of %u (the "
             "system keeps %u).",
             api, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(left), ub.size_bytes,
             of_the_system);
    }
}

Buffer stack_buffer(uint8_t position, uint32_t bytes, const char *api)
{
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const Region &region = region_of(space_of_position(position));
    const uint32_t left = region.taken_bytes < region.size_bytes ? region.size_bytes - region.taken_bytes : 0;
    if (left == 0 || bytes > left) {
        trap("UB_OVERFLOW", api, pc, "%s needs %u bytes of scratch space, and buffers have left %u.", api, bytes, left);
    }
    return {region.begin + region.taken_bytes, left};
}

} // namespace akgen::twin
