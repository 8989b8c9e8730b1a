// TQue: buffers that go round FREE, OCCUPIED, ENQUE, DEQUE, and the events that hand them from pipe to pipe.
#include "akgen/sync.h"
#include "core.h"
#include "pipe.h"
#include <algorithm>

namespace akgen::twin {

namespace {
constexpr uint8_t any_position = 16; // TPosition::MAX
const char *const state_names[] = {"free", "allocated", "enqueued", "dequeued"};
const char *position_name(uint8_t p)
{
    static const char *const names[] = {"GM",  "A1",   "A2",        "B1",          "B2",     "C1",
                                        "C2",  "CO1",  "CO2",       "VECIN",       "VECOUT", "VECCALC",
                                        "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return p < 16 ? names[p] : "?";
}

// Which pipe fills a buffer at a position, and which one takes from it.
Pipe filling(uint8_t from)
{
    switch (position_name(from)[0] == 'V' ? from : 0) {
    case 9: return Pipe::MTE2; // VECIN
    case 10:
    case 11: return Pipe::V; // VECOUT, VECCALC
    default: break;
    }
    switch (space_of_position(from)) {
    case Space::L0A:
    case Space::L0B:
    case Space::BT: return Pipe::MTE1;
    case Space::L0C: return Pipe::M;
    default: return Pipe::MTE2; // GM, L1
    }
}
Pipe taking(uint8_t to)
{
    switch (to) {
    case 0:
    case 10: return Pipe::MTE3; // GM, VECOUT
    case 9:
    case 11: return Pipe::V;
    default: break;
    }
    switch (space_of_position(to)) {
    case Space::L0A:
    case Space::L0B:
    case Space::BT: return Pipe::M;
    case Space::L0C: return Pipe::FIX;
    default: return Pipe::MTE1;
    }
}

Queue &queue_of(uint32_t number, const char *api, const void *pc)
{
    self->last_pc = pc;
    if (number == 0 || number > self->queues.size() || !self->queues[number - 1].live) {
        trap("QUEUE_STATE", api, pc, "%s: the queue was not given buffers with InitBuffer%s.", api,
             number ? " since the pipe was reset" : "");
    }
    return self->queues[number - 1];
}

Slot &slot_of(Queue &queue, const uint8_t *data, const char *api, const void *pc)
{
    for (Slot &slot : queue.slots) {
        if (data >= slot.buffer.data && data < slot.buffer.data + slot.buffer.size_bytes) {
            return slot;
        }
    }
    // A buffer may travel through several queues, each of which hands it on.
    for (Queue &other : self->queues) {
        for (Slot &slot : other.slots) {
            if (other.live && data >= slot.buffer.data && data < slot.buffer.data + slot.buffer.size_bytes) {
                return slot;
            }
        }
    }
    trap("QUEUE_STATE", api, pc, "%s: the tensor was not allocated from a queue.", api);
}

[[noreturn]] void wrong_state(const char *api, const void *pc, const Queue &queue, const Slot &slot, const char *needed)
{
    trap("QUEUE_STATE", api, pc, "%s: this buffer of a %s queue is %s; it must be %s.", api, position_name(queue.to),
         state_names[static_cast<int>(slot.state)], needed);
}

Event hand_over(Pipe from, Pipe to, const char *api, const void *pc, GivenBack of = {0, 0, true})
{
    if (from == to) {
        return {}; // a pipe is in order with itself
    }
    const Event event{from, to, static_cast<int8_t>(take_event(from, to, api, pc))};
    raise_flag(from, to, event.id, pc, of);
    return event;
}

void take_over(Event &event, const void *pc, GivenBack of = {0, 0, true})
{
    if (event.id >= 0) {
        await_flag(event.from, event.to, event.id, pc, of);
        give_event(event.from, event.to, event.id);
        event.id = -1;
    }
}
} // namespace

uint32_t open_queue(uint32_t number, uint8_t from, uint8_t to, uint32_t depth, uint32_t count, const void *pc)
{
    self->last_pc = pc;
    require_pipe("InitBuffer", pc);
    if (number == 0 || number > self->queues.size()) {
        self->queues.emplace_back();
        number = static_cast<uint32_t>(self->queues.size());
    }
    Queue queue;
    queue.from = from;
    queue.to = to;
    queue.depth = depth;
    queue.live = true;
    queue.slots.resize(count);
    for (Slot &slot : queue.slots) {
        slot.queue = number;
        slot.buffers = count;
    }
    self->queues[number - 1] = std::move(queue);
    return number;
}

uint32_t queue_init(uint32_t number, uint8_t from, uint8_t to, uint32_t depth, uint32_t count, uint32_t bytes,
                    uint32_t pool)
{
    const void *pc = __builtin_return_address(0);
    number = open_queue(number, from, to, depth, count, pc);
    Queue &queue = self->queues[number - 1];
    const uint8_t held = queue.held();
    for (Slot &slot : queue.slots) {
        slot.buffer = take_buffer(held, bytes, pool, count, "InitBuffer", pc);
        slot.logged = log_buffer(held, slot.buffer, pc);
    }
    if (count == 1) {
        Region &region = region_of(space_of_position(held));
        region.single_bytes += queue.slots[0].buffer.size_bytes;
        region.most_single_bytes = std::max(region.most_single_bytes, region.single_bytes);
    }
    return number;
}

Buffer queue_alloc(uint32_t number)
{
    const void *pc = __builtin_return_address(0);
    Queue &queue = queue_of(number, "AllocTensor", pc);
    if (queue.slots.empty() || queue.slots[0].buffer.size_bytes == 0) { // asking for nothing is harmless until now
        trap("QUEUE_STATE", "AllocTensor", pc, "AllocTensor: InitBuffer gave the %s queue %s.", position_name(queue.to),
             queue.slots.empty() ? "no buffer" : "buffers of 0 bytes");
    }
    for (size_t tried = 0; tried < queue.slots.size(); ++tried) {
        Slot &slot = queue.slots[queue.cursor];
        queue.cursor = (queue.cursor + 1) % static_cast<uint32_t>(queue.slots.size());
        if (slot.state == SlotState::free) {
            const bool by_flag = slot.freed.id >= 0;
            take_over(slot.freed, pc, {slot.queue, slot.buffers, true});
            self->log.hold(slot.logged, true, by_flag);
            slot.state = SlotState::occupied;
            slot.pc = pc;
            return slot.buffer;
        }
    }
    trap("QUEUE_STATE", "AllocTensor", pc,
         "AllocTensor: all %zu buffers of the %s queue are in use (the next one is %s); FreeTensor is missing or comes "
         "too late.",
         queue.slots.size(), position_name(queue.to), state_names[static_cast<int>(queue.slots[queue.cursor].state)]);
}

void queue_enque(uint32_t number, const uint8_t *data, uint8_t from, uint8_t to)
{
    const void *pc = __builtin_return_address(0);
    Queue &queue = queue_of(number, "EnQue", pc);
    Slot &slot = slot_of(queue, data, "EnQue", pc);
    if (slot.state != SlotState::occupied && slot.state != SlotState::dequed) {
        wrong_state("EnQue", pc, queue, slot, "allocated");
    }
    if (queue.enqued.size() >= queue.depth) { // a ring of `depth` entries: one more overwrites the first
        trap("QUEUE_STATE", "EnQue", pc,
             "EnQue: %zu tensors are in a %s queue of depth %u already; DeQue one of them first, or declare a greater "
             "depth.",
             queue.enqued.size(), position_name(queue.to), queue.depth);
    }
    const bool own = from == any_position;
    slot.filled = hand_over(filling(own ? queue.from : from), taking(own ? queue.to : to), "EnQue", pc);
    slot.state = SlotState::enqued;
    slot.pc = pc;
    queue.enqued.push_back(slot.buffer.data);
}

Buffer queue_deque(uint32_t number, uint8_t, uint8_t)
{
    const void *pc = __builtin_return_address(0);
    Queue &queue = queue_of(number, "DeQue", pc);
    if (queue.enqued.empty()) {
        trap("QUEUE_STATE", "DeQue", pc, "DeQue: no tensor was enqueued in this %s queue; EnQue is missing.",
             position_name(queue.to));
    }
    uint8_t *data = queue.enqued.front();
    queue.enqued.erase(queue.enqued.begin());
    Slot &slot = slot_of(queue, data, "DeQue", pc);
    take_over(slot.filled, pc);
    slot.state = SlotState::dequed;
    slot.pc = pc;
    return slot.buffer;
}

void queue_free(uint32_t number, const uint8_t *data)
{
    const void *pc = __builtin_return_address(0);
    Queue &queue = queue_of(number, "FreeTensor", pc);
    Slot &slot = slot_of(queue, data, "FreeTensor", pc);
    if (slot.state == SlotState::free) {
        wrong_state("FreeTensor", pc, queue, slot, "allocated or dequeued");
    }
    if (slot.state == SlotState::enqued) {
        wrong_state("FreeTensor", pc, queue, slot, "dequeued first");
    }
    slot.freed = hand_over(taking(queue.to), filling(queue.from), "FreeTensor", pc, {slot.queue, slot.buffers, true});
    self->log.hold(slot.logged, false, slot.freed.id >= 0);
    slot.state = SlotState::free;
    slot.pc = pc;
}

void queue_free_events(uint32_t number)
{
    const void *pc = __builtin_return_address(0);
    for (Slot &slot : queue_of(number, "FreeAllEvent", pc).slots) {
        take_over(slot.freed, pc, {slot.queue, slot.buffers});
    }
}

uint32_t queue_count(uint32_t number)
{
    return static_cast<uint32_t>(queue_of(number, "HasTensorInQue", __builtin_return_address(0)).enqued.size());
}

uint8_t queue_state(uint32_t number, const uint8_t *data)
{
    const void *pc = __builtin_return_address(0);
    return static_cast<uint8_t>(slot_of(queue_of(number, "GetState", pc), data, "GetState", pc).state);
}

uint32_t queue_idle(uint32_t number)
{
    const Queue &queue = queue_of(number, "HasIdleBuffer", __builtin_return_address(0));
    return static_cast<uint32_t>(std::count_if(queue.slots.begin(), queue.slots.end(),
                                               [](const Slot &s) { return s.state == SlotState::free; }));
}

void settle_queue(Queue &queue, bool report_leaks)
{
    for (Slot &slot : queue.slots) {
        if (slot.freed.id >= 0) {
            take_over(slot.freed, slot.pc, {slot.queue, slot.buffers});
        }
        if (report_leaks && slot.state != SlotState::free) {
            warn("TENSOR_LEAK", "FreeTensor", slot.pc, "A buffer of a %s queue is still %s when the kernel ends.",
                 position_name(queue.to), state_names[static_cast<int>(slot.state)]);
        }
        if (slot.filled.id >= 0) { // enqueued and never dequeued: the flag goes with it
            take_over(slot.filled, slot.pc);
        }
    }
}

void settle_queues(bool report_leaks)
{
    for (Queue &queue : self->queues) {
        if (queue.live) {
            settle_queue(queue, report_leaks);
            queue.live = false;
        }
    }
}

} // namespace akgen::twin
