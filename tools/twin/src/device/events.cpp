// Event ids, flags and barriers within a core.
#include "akgen/sync.h"
#include "core.h"
#include "pipe.h"

namespace akgen::twin {

namespace {
uint8_t pair_of(Pipe from, Pipe to)
{
    return static_cast<uint8_t>((static_cast<int>(from) << 4) | static_cast<int>(to));
}
uint8_t &used(Pipe from, Pipe to)
{
    if (from >= Pipe::ALL || to >= Pipe::ALL) {
        __builtin_trap(); // no pipe: a number of the kernel's own
    }
    return self->event_used[static_cast<int>(from)][static_cast<int>(to)];
}

void require_id(const char *api, const void *pc, Pipe from, Pipe to, int32_t id)
{
    if (id < 0 || id >= event_ids) {
        trap("EVENT_ID", api, pc, "%s: event id %d of %s to %s; ids are 0 to 7.", api, id, pipe_name(from),
             pipe_name(to));
    }
    if (from >= Pipe::ALL || to >= Pipe::ALL || from == to) {
        trap("EVENT_ID", api, pc, "%s: no flag leads from pipe %s to pipe %s; use PipeBarrier within a pipe.", api,
             pipe_name(from), pipe_name(to));
    }
}
} // namespace

void raise_flag(Pipe from, Pipe to, int32_t id, const void *pc, GivenBack of)
{
    self->last_pc = pc;
    constexpr uint32_t most_pending = 15;
    if (self->detector.pending(from, to, id) >= most_pending) {
        trap("FLAG_TWICE", "SetFlag", pc, "SetFlag: event %d from %s to %s is set more than %u times without a wait.",
             id, pipe_name(from), pipe_name(to), most_pending);
    }
    self->detector.release(from, to, id, pc);
    self->log.event(Kind::set, pair_of(from, to), static_cast<uint16_t>(id | (of.by_queue ? queue_operation : 0)),
                    static_cast<uint32_t>(so_offset(pc)), of.queue, of.buffers);
}

void await_flag(Pipe from, Pipe to, int32_t id, const void *pc, GivenBack of)
{
    self->last_pc = pc;
    if (!self->detector.acquire(from, to, id)) {
        trap("FLAG_UNPAIRED", "WaitFlag", pc,
             "WaitFlag: nobody has set event %d from %s to %s, so pipe %s waits for ever.", id, pipe_name(from),
             pipe_name(to), pipe_name(to));
    }
    self->log.event(Kind::wait, pair_of(from, to), static_cast<uint16_t>(id | (of.by_queue ? queue_operation : 0)),
                    static_cast<uint32_t>(so_offset(pc)), of.queue, of.buffers);
}

void set_flag(Pipe from, Pipe to, int32_t id)
{
    const void *pc = __builtin_return_address(0);
    require_id("SetFlag", pc, from, to, id);
    raise_flag(from, to, id, pc);
}

void wait_flag(Pipe from, Pipe to, int32_t id)
{
    const void *pc = __builtin_return_address(0);
    require_id("WaitFlag", pc, from, to, id);
    await_flag(from, to, id, pc);
}

void pipe_barrier(Pipe pipe)
{
    if (pipe > Pipe::ALL) {
        __builtin_trap();
    }
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (pipe == Pipe::S) {
        warn("EVENT_ID", "PipeBarrier", pc,
             "PipeBarrier<PIPE_S>: what the scalar unit does is in order; its documentation calls this a hardware "
             "error.");
    }
    self->detector.barrier(pipe);
    self->log.event(Kind::barrier, static_cast<uint8_t>(pipe), 0, static_cast<uint32_t>(so_offset(pc)));
}

int32_t take_event(Pipe from, Pipe to, const char *api, const void *pc)
{
    uint8_t &ids = used(from, to);
    for (int32_t id = 0; id < event_ids; ++id) {
        if (!(ids >> id & 1)) {
            ids = static_cast<uint8_t>(ids | 1u << id);
            return id;
        }
    }
    // Two owners of one id hand over in turn, as long as they set and wait in the same order.
    const int32_t shared = self->events_shared++ % event_ids;
    warn("EVENT_IDS_EXHAUSTED", api, pc, "%s: all 8 event ids from %s to %s are in use; id %d serves twice.", api,
         pipe_name(from), pipe_name(to), shared);
    return shared;
}

void give_event(Pipe from, Pipe to, int32_t id) { used(from, to) = static_cast<uint8_t>(used(from, to) & ~(1u << id)); }

int32_t event_alloc(Pipe from, Pipe to) { return take_event(from, to, "AllocEventID", __builtin_return_address(0)); }

int32_t event_fetch(Pipe from, Pipe to)
{
    const void *pc = __builtin_return_address(0);
    const int32_t id = take_event(from, to, "FetchEventID", pc);
    give_event(from, to, id); // fetched, not taken: the next queue may get the same one
    return id;
}

void event_release(Pipe from, Pipe to, int32_t id)
{
    const void *pc = __builtin_return_address(0);
    require_id("ReleaseEventID", pc, from, to, id);
    if (!(used(from, to) >> id & 1)) {
        complain("EVENT_ID", "ReleaseEventID", pc, "ReleaseEventID: event %d from %s to %s was not allocated.", id,
                 pipe_name(from), pipe_name(to));
    }
    give_event(from, to, id);
}

void check_flags_left()
{
    for (int from = 0; from < pipe_count; ++from) {
        for (int to = 0; to < pipe_count; ++to) {
            for (int id = 0; id < event_ids; ++id) {
                if (self->detector.pending(static_cast<Pipe>(from), static_cast<Pipe>(to), id)) {
                    warn("FLAG_LEFT", "SetFlag",
                         self->detector.released_by(static_cast<Pipe>(from), static_cast<Pipe>(to), id),
                         "Event %d from %s to %s is still set when the kernel ends; the next kernel finds it set.", id,
                         pipe_name(static_cast<Pipe>(from)), pipe_name(static_cast<Pipe>(to)));
                }
            }
        }
    }
}

} // namespace akgen::twin
