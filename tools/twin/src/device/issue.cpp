// One instruction: are its operands inside their buffers, does it race with another pipe, and when does it run.
#include "core.h"
#include <cstdlib>
#include <cstring>

namespace akgen::twin {

namespace {
Extent extent_of(const Access &a)
{
    const int64_t reach = a.rows > 1 ? static_cast<int64_t>(a.rows - 1) * a.row_stride : 0;
    const uint8_t *low = reach < 0 ? a.begin + reach : a.begin;
    return {low, static_cast<uint64_t>(std::llabs(reach)) + a.row_bytes};
}

void check_local(const Instr &in, const Access &a, const Place &place)
{
    const Extent e = extent_of(a);
    const uint64_t offset = static_cast<uint64_t>(e.low - place.region->begin);
    if (offset + e.bytes > place.region->size_bytes || e.low < place.region->begin) {
        const bool over = place.region->taken_bytes > place.region->size_bytes;
        trap(over ? "UB_OVERFLOW" : "TENSOR_RANGE", in.api, in.pc,
             "%s: %s bytes %llu to %llu of %s, which has %u bytes%s.", in.api, a.write ? "writes" : "reads",
             static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset + e.bytes),
             space_name(place.space), place.region->size_bytes, over ? "; InitBuffer took more" : "");
    }
    // A vector instruction may read lanes that its caller never looks at; what it writes, somebody else may own.
    const bool idle_lanes = in.pipe == Pipe::V && !a.write;
    require_in_buffer(in.api, in.pc, *place.region, a.begin, e.bytes, a.limit_bytes, a.write, idle_lanes);
}

// Copies come from global memory on MTE2, and never end in the Unified Buffer on MTE3; each kind of
// core has its own memories.
void require_reachable(const Instr &in, const Access &a, const Place &place)
{
    if ((in.pipe == Pipe::MTE2 && !a.write) || (in.pipe == Pipe::MTE3 && a.write && place.space == Space::UB)) {
        trap("WRONG_MEMORY", in.api, in.pc, "%s: an address in %s is given where global memory is meant.", in.api,
             space_name(place.space));
    }
    if (self->cube ? place.space == Space::UB : place.space != Space::UB && !(place.space == Space::L1 && self->tscm)) {
        trap("WRONG_MEMORY", in.api, in.pc, "%s: %s core %s has no access to %s.", in.api,
             self->cube ? "cube" : "vector", self->name.c_str(), space_name(place.space));
    }
}

// A load, a product or a way out of L0C whose operand has not one written byte; part of one may lie beyond a matrix's end.
void warn_of_bare_operand(const Instr &in, const Access &a, const Place &place)
{
    const int region = static_cast<int>(place.space) - static_cast<int>(Space::UB);
    for (uint32_t row = 0; row < a.rows; ++row) {
        const uint8_t *begin = a.begin + static_cast<int64_t>(row) * a.row_stride;
        if (!self->detector.bare(region, static_cast<uint32_t>(begin - place.region->begin),
                                 static_cast<uint32_t>(a.row_bytes))) {
            return;
        }
    }
    warn("UNWRITTEN_DATA", in.api, in.pc, "%s: nothing has written what it reads from byte %u of %s on.", in.api,
         static_cast<uint32_t>(a.begin - place.region->begin), space_name(place.space));
}

// What was never written holds anything. A copy out takes all of its bytes; a vector instruction may have idle lanes,
// so that only an operand without a single written byte is sure to be a mistake.
void warn_of_unwritten(const Instr &in, const Access &a, const Place &place)
{
    if (!a.write && self->cube && (in.pipe == Pipe::MTE1 || in.pipe == Pipe::M || in.pipe == Pipe::FIX)) {
        return warn_of_bare_operand(in, a, place);
    }
    if (a.write || place.space != Space::UB || (in.pipe != Pipe::MTE3 && in.pipe != Pipe::V)) {
        return;
    }
    if (std::strcmp(in.api, "TransDataTo5HD") == 0) { // takes 16 rows, of which a short matrix fills some
        return;
    }
    const int region = static_cast<int>(place.space) - static_cast<int>(Space::UB);
    for (uint32_t row = 0; row < a.rows; ++row) {
        const uint8_t *begin = a.begin + static_cast<int64_t>(row) * a.row_stride;
        const auto offset = static_cast<uint32_t>(begin - place.region->begin);
        auto bytes = static_cast<uint32_t>(a.row_bytes);
        int64_t block = self->detector.unwritten(region, offset, bytes);
        if (in.pipe == Pipe::V) {
            // Every block of the first row must be bare.
            const bool bare = block == offset / 32;
            for (uint32_t at = offset; bare && block >= 0 && at < offset + bytes; at += 32) {
                block = self->detector.unwritten(region, at, 1);
            }
            block = bare && block >= 0 ? int64_t{offset / 32} : -1;
            bytes = 0;
        }
        if (block >= 0) {
            warn("UNWRITTEN_DATA", in.api, in.pc,
                 "%s: byte %lld of the Unified Buffer is read, and nothing has written it.", in.api,
                 static_cast<long long>(block) * 32);
            return;
        }
        if (bytes == 0) {
            return;
        }
    }
}

RaceDetector::Conflict enter(const Access &a, const Place &place)
{
    RaceDetector::Conflict first;
    const int region = static_cast<int>(place.space) - static_cast<int>(Space::UB);
    const bool dense = a.rows <= 1 || (a.row_stride >= 0 && static_cast<uint64_t>(a.row_stride) < a.row_bytes + 32);
    if (dense) {
        const Extent e = extent_of(a);
        return self->detector.access(region, static_cast<uint32_t>(e.low - place.region->begin),
                                     static_cast<uint32_t>(e.bytes), a.write);
    }
    for (uint32_t row = 0; row < a.rows; ++row) {
        const uint8_t *begin = a.begin + static_cast<int64_t>(row) * a.row_stride;
        const auto conflict = self->detector.access(region, static_cast<uint32_t>(begin - place.region->begin),
                                                    static_cast<uint32_t>(a.row_bytes), a.write);
        if (conflict.found && !first.found) {
            first = conflict;
        } else if (conflict.found) {
            first.more |= conflict.more || conflict.other != first.other || conflict.other_wrote != first.other_wrote;
        }
    }
    return first;
}
} // namespace

void log_auto_waits(uint32_t pc)
{
    const auto &waits = self->detector.waits();
    for (int p = 0; p < pipe_count; ++p) {
        if (waits.number[p]) {
            self->log.event(Kind::auto_wait, 0, 0, pc, static_cast<uint32_t>(p), waits.number[p]);
        }
    }
}

void issue(const Instr &in)
{
    self->last_pc = in.pc;
    settle_races();
    RaceDetector &detector = self->detector;
    detector.begin(in.pipe, launch->auto_sync);
    const auto at = static_cast<uint32_t>(so_offset(in.pc));
    uint64_t moved = 0;
    uint32_t rows = 0;
    Shape shape = {};
    Copied copied;
    Access read = {};
    int reads = 0;
    bool raced = false;
    for (int i = 0; i < in.n_access; ++i) {
        const Access &a = in.access[i];
        if (a.row_bytes == 0 || a.rows == 0) {
            continue;
        }
        const Place place = place_of(a.begin);
        if (place.region) {
            require_reachable(in, a, place);
            check_local(in, a, place);
            warn_of_unwritten(in, a, place);
            const RaceDetector::Conflict conflict = enter(a, place);
            raced |= conflict.found;
            after_conflict(conflict, in.api, in.pc, place, a.write ? extent_of(a) : Extent{});
            if (!a.write) {
                read = a;
                ++reads;
            }
        } else {
            if (!a.begin && ((in.pipe == Pipe::MTE2 && !a.write) || (in.pipe == Pipe::MTE3 && a.write))) {
                trap("NULL_POINTER", in.api, in.pc,
                     "%s: global memory is %s through a null pointer; was the tensor set?", in.api,
                     a.write ? "written" : "read");
            }
            if (!a.begin) {
                trap("TENSOR_RANGE", in.api, in.pc, "%s: an operand has no memory; its buffer was never initialised.",
                     in.api);
            }
            const Extent e = extent_of(a);
            if (a.rows > 1) { // the last row must start inside, too
                require_global(in.api, in.pc, a.begin + (a.rows - 1) * a.row_stride, a.row_bytes, a.write);
            }
            const GmBuffer &buffer = require_global(in.api, in.pc, e.low, e.bytes, a.write);
            launch->global->copy(in, a, in.n_access == 2 ? &in.access[1 - i] : nullptr, buffer);
            shape.global = true;
            copied = launch->footprint->enter(buffer, a, self->index);
            shape.extra = Footprint::extra_lines(copied);
            shape.buffer = launch->footprint->index(buffer);
            (a.write ? self->log.gm_write_bytes : self->log.gm_read_bytes) += a.row_bytes * a.rows;
            self->log.operations += a.write && self->atomic != Atomic::none ? a.row_bytes * a.rows : 0;
        }
        moved = a.row_bytes * a.rows > moved ? a.row_bytes * a.rows : moved;
        rows = a.rows > rows ? a.rows : rows;
    }
    if (detector.waits().overtakes && !raced) {
        warn("PIPE_RACE", in.api, in.pc,
             "%s: the copy overwrites what a copy before it may still bring; PipeBarrier<PIPE_MTE2>() keeps their "
             "order.",
             in.api);
    }
    // What a library call does after its first instruction needs what that one made.
    shape.dependent = detector.waits().same_pipe || (in.pipe == Pipe::V && in.n_access == 0);
    for (int p = 0; p < pipe_count; ++p) {
        if (detector.waits().number[p] && static_cast<Pipe>(p) != in.pipe) {
            self->log.event(Kind::auto_wait, static_cast<uint8_t>(in.pipe), 0, at, static_cast<uint32_t>(p),
                            detector.waits().number[p]);
        }
    }
    const bool vector = in.pipe == Pipe::V;
    const uint64_t work = vector || in.pipe == Pipe::M || in.pipe == Pipe::S ? in.elements : moved;
    shape.count = vector ? in.repeats : rows;
    shape.extra = vector ? in.stalls : shape.extra;
    self->log.instr(in, at, static_cast<uint32_t>(work > UINT32_MAX ? UINT32_MAX : work), pack(shape, vector),
                    shape.global ? &copied : nullptr);
    const uint32_t number = detector.number();
    self->log.origin_of(in.pipe, number) = {number, at, self->log.op_index(in.api, in.op, in.dtype)};
    if (in.pipe >= Pipe::MTE1 && reads <= 1) { // a Fixpipe with a table reads two memories, and has no entry
        self->log.read_of(in.pipe, number) = {number, read};
    }
}

MaskState &mask_state() { return self->mask; }

} // namespace akgen::twin
