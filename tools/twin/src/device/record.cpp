#include "record.h"
#include <algorithm>

namespace akgen::twin {

uint64_t Log::cap = 4'000'000;

// Bits, from the top: dependent, global, then for vectors 22 of repeats and 8 of lost cycles, in sixteenths of a
// repeat; else 6 of the tensor and 12 each of extra lines and rows, as many as instructions take.
uint32_t pack(const Shape &s, bool vector)
{
    const uint32_t flags = (s.dependent ? 1u << 31 : 0) | (s.global ? 1u << 30 : 0);
    if (vector) {
        const uint32_t count = std::min<uint32_t>(s.count, (1u << 22) - 1);
        const uint64_t share = count ? (uint64_t{s.extra} * 16 + count / 2) / count : 0;
        return flags | count << 8 | static_cast<uint32_t>(std::min<uint64_t>(share, 255));
    }
    const uint32_t most = (1u << 12) - 1;
    return flags | std::min(s.buffer, most_buffers) << 24 | std::min(s.extra, most) << 12 | std::min(s.count, most);
}

Shape unpack(uint32_t aux, bool vector)
{
    Shape s = {};
    s.dependent = aux >> 31;
    s.global = aux >> 30 & 1;
    if (vector) {
        s.count = aux >> 8 & ((1u << 22) - 1);
        s.extra = s.count * (aux & 255) / 16;
    } else {
        s.buffer = aux >> 24 & 63;
        s.extra = aux >> 12 & 4095;
        s.count = aux & 4095;
    }
    return s;
}

uint16_t Log::op_index(const char *api, const char *op, DType dtype)
{
    const OpName wanted{api, op, dtype};
    for (size_t i = ops.size(); i-- > 0;) { // few, and the last used are the likeliest
        if (ops[i] == wanted) {
            return static_cast<uint16_t>(i);
        }
    }
    ops.push_back(wanted);
    return static_cast<uint16_t>(ops.size() - 1);
}

namespace {
// Operands and loops around a call are part of what its issue takes; the published time of a scalar access holds the
// loop and the arithmetic around it.
constexpr uint64_t with_a_call = 64, with_an_event = 48, with_an_access = 20;
constexpr uint32_t events_of_a_call =
    4; // a queue's, around one instruction; flags for their own sake hold no arithmetic
constexpr uint64_t most_macs = 16 * 16 * 64; // of a step of the cube
} // namespace

void Log::settle_work(uint32_t pc, uint64_t included)
{
    if (!work || *work == 0) {
        return;
    }
    operations += *work;
    uint64_t left = *work > included ? *work - included : 0;
    *work = 0;
    for (; left > 0 && records.size() < cap; left -= std::min<uint64_t>(left, UINT32_MAX)) {
        records.push_back(
            {pc, 0, Kind::scalar, 0, static_cast<uint32_t>(std::min<uint64_t>(left, UINT32_MAX)), scalar_work});
    }
}

void Log::end() { settle_work(0, with_a_call); }

void Log::instr(const Instr &in, uint32_t pc, uint32_t work, uint32_t aux, const Copied *copied)
{
    settle_work(pc, with_a_call);
    events_left_ = std::min(events_left_ + events_of_a_call, events_before_calls);
    operations += in.pipe == Pipe::V || in.pipe == Pipe::FIX ? work : in.pipe == Pipe::M ? work * most_macs : 0;
    if (records.size() >= cap) {
        ++dropped;
        dropped_work[static_cast<int>(in.pipe)] += work;
        return;
    }
    records.push_back({pc, op_index(in.api, in.op, in.dtype), Kind::instr, static_cast<uint8_t>(in.pipe), work, aux});
    if (copied) {
        copies[static_cast<int>(in.pipe)].push_back(*copied);
    }
}

void Log::event(Kind kind, uint8_t pipe, uint16_t id, uint32_t pc, uint32_t work, uint32_t aux)
{
    const bool apart = kind == Kind::scalar || (kind == Kind::barrier && static_cast<Pipe>(pipe) == Pipe::S);
    const bool own = events_left_ > 0 && !apart;
    events_left_ -= own;
    settle_work(pc, own ? with_an_event : 0);
    if (records.size() >= cap) {
        ++dropped;
        return;
    }
    records.push_back({pc, id, kind, pipe, work, aux});
}

uint32_t Log::add_buffer(const LocalBuffer &buffer)
{
    if (buffers.size() >= most_held) {
        held_left_out += most_held > 0;
        return UINT32_MAX;
    }
    buffers.push_back(buffer);
    return static_cast<uint32_t>(buffers.size()) - 1;
}

void Log::let_go()
{
    for (; let_go_before < buffers.size(); ++let_go_before) {
        hold(static_cast<uint32_t>(let_go_before), false, false);
    }
}

void Log::hold(uint32_t buffer, bool taken, bool by_flag)
{
    if (most_held == 0 || buffer >= buffers.size()) {
        return;
    }
    if (held.size() >= most_held || dropped > 0) {
        ++held_left_out;
        return;
    }
    held.push_back({static_cast<uint32_t>(records.size()) - by_flag, buffer, taken, by_flag});
}

void Log::scalar(uint32_t pc, uint32_t what, bool missed)
{
    settle_work(pc, with_an_access);
    ++operations;
    if (!records.empty()) {
        Record &last = records.back();
        if (last.kind == Kind::scalar && (last.aux & scalar_what) == what && last.work < UINT32_MAX / scalar_missed) {
            ++last.work;
            last.aux += missed ? scalar_missed : 0;
            return;
        }
    }
    event(Kind::scalar, 0, 0, pc, 1, what | (missed ? scalar_missed : 0));
}

} // namespace akgen::twin
