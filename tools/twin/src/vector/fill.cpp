// Brcb, index sequences and Broadcast.
#include "loops.h"

#include "akgen/vector.h"
#include "composite.h"
#include "device/guest.h"
#include "facts.h"
#include "record.h"

namespace akgen::twin {
namespace {

void store(DType type, uint8_t *at, double value)
{
    switch (type) {
    case DType::F16: *reinterpret_cast<uint16_t *>(at) = narrow_half(static_cast<float>(value)); break;
    case DType::F32: *reinterpret_cast<float *>(at) = static_cast<float>(value); break;
    case DType::I16: *reinterpret_cast<int16_t *>(at) = static_cast<int16_t>(static_cast<int64_t>(value)); break;
    case DType::I64: *reinterpret_cast<int64_t *>(at) = static_cast<int64_t>(value); break;
    default: *reinterpret_cast<int32_t *>(at) = static_cast<int32_t>(static_cast<int64_t>(value)); break;
    }
}

} // namespace

void broadcast_blocks(DType type, View dst, View src, uint32_t repeat, uint32_t dst_block, uint32_t dst_repeat)
{
    const void *pc = __builtin_return_address(0);
    require_operand(apis::Brcb.name, pc, "dst", dst);
    require_operand(apis::Brcb.name, pc, "src", src);
    if (repeat == 0) {
        return;
    }
    if (repeat > 254) {
        trap("REPEAT_RANGE", "Brcb", pc, "Brcb: %u repeats; at most 254 fit", repeat);
    }
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = whole_repeats(256 / bytes, repeat);
    dst_block = block_stride("Brcb", pc, w, Operand{"dst", dst, bytes * 8, dst_block, dst_repeat, Use::WRITE});
    const uint64_t read = static_cast<uint64_t>(repeat) * 8 * bytes;
    const uint64_t written = 32 * ((repeat - 1) * uint64_t{dst_repeat} + 7 * uint64_t{dst_block} + 1);
    if (dst.data < src.data + read && src.data < dst.data + written) {
        constexpr const char *text = "%s: dst and src share memory; each number becomes a block of 32 bytes.";
        if (repeat > 1) { // the first repeat reads its numbers before it writes; later ones find them overwritten
            trap("PARTIAL_OVERLAP", "Brcb", pc, text, "Brcb");
        }
        warn("PARTIAL_OVERLAP", "Brcb", pc, text, "Brcb");
    }
    const Operand d{"dst", dst, bytes * 8, dst_block, dst_repeat, Use::WRITE};
    Instr instr = vector_instr(apis::Brcb, pc, type, w.active);
    add_access(instr, w, d);
    add_span(instr, src, static_cast<uint64_t>(repeat) * 8 * bytes, false);
    issue(instr);
    for (uint32_t r = 0; r < repeat; ++r) {
        for (uint32_t b = 0; b < 8; ++b) {
            uint8_t value[4];
            std::memcpy(value, src.data + (static_cast<uint64_t>(r) * 8 + b) * bytes, bytes);
            uint8_t *to =
                dst.data + 32 * (static_cast<uint64_t>(r) * dst_repeat + static_cast<uint64_t>(b) * dst_block);
            for (uint32_t i = 0; i < 32; i += bytes) {
                std::memcpy(to + i, value, bytes);
            }
        }
    }
}

void progression_count(const char *api, DType type, View dst, double first, double step, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    require_operand(api, pc, "dst", dst);
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = walk_count(api, pc, 256 / bytes, count);
    if (w.active == 0) {
        return;
    }
    Instr instr = vector_instr(api, apis::CreateVecIndex.steps[0], pc, type, w.active);
    add_span(instr, dst, w.active * bytes, true);
    issue(instr);
    for (uint64_t i = 0; i < w.active; ++i) {
        store(type, dst.data + i * bytes, first + static_cast<double>(i) * step);
    }
}

void progression_repeat(DType type, View dst, double first, MaskArg mask, uint32_t repeat, const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::CreateVecIndex.name;
    require_operand(api, pc, "dst", dst);
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = walk_repeat(api, pc, 256 / bytes, mask, repeat);
    if (w.active == 0) {
        return;
    }
    Operand d{"dst", dst, bytes * 8, strides.block[0], strides.repeat[0], Use::WRITE};
    d.block = block_stride(api, pc, w, d);
    require_stride(api, pc, d);
    Instr instr = vector_instr(api, apis::CreateVecIndex.steps[0], pc, type, w.active);
    add_access(instr, w, d);
    issue(instr);
    for (uint32_t r = 0; r < w.repeats; ++r) {
        const uint32_t n = w.prefix ? (r + 1 == w.repeats ? w.last : w.each) : w.lanes;
        for (uint32_t lane = 0; lane < n; ++lane) {
            if (w.prefix || lane_on(w, lane)) {
                store(type, lane_address(d, r, lane), first + static_cast<double>(r) * w.lanes + lane);
            }
        }
    }
}

void broadcast_axes(DType type, View dst, View src, View work, const uint32_t *dst_shape, const uint32_t *src_shape,
                    uint32_t dims)
{
    const void *pc = __builtin_return_address(0);
    constexpr const ApiFacts &facts = apis::Broadcast;
    constexpr const char *api = facts.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    require_guest(api, pc, dst_shape, uint64_t{dims} * sizeof *dst_shape, false);
    require_guest(api, pc, src_shape, uint64_t{dims} * sizeof *src_shape, false);
    uint64_t to = 1, from = 1;
    for (uint32_t i = 0; i < dims; ++i) {
        if (src_shape[i] != dst_shape[i] && src_shape[i] != 1) {
            trap("BROADCAST_SHAPE", api, pc,
                 "Broadcast: axis %u has %u elements in the source and %u in the destination", i, src_shape[i],
                 dst_shape[i]);
        }
        to *= dst_shape[i];
        from *= src_shape[i];
    }
    const uint32_t bytes = dtype_bytes(type);
    Instr instr = vector_instr(api, facts.steps[0], pc, type, to);
    add_span(instr, src, from * bytes, false);
    add_span(instr, dst, to * bytes, true);
    if (dims == 2 && src_shape[0] == 1 && dst_shape[0] != 1) {
        require_whole_blocks(api, pc, "a row", src_shape[1], bytes);
    }
    if (to != from && dst.data < src.data + from * bytes && src.data < dst.data + to * bytes) {
        // Copies of one row follow one another, and the first leaves the row where it is.
        const bool in_place = dst.data == src.data && dims == 2 && src_shape[0] == 1 && src_shape[1] == dst_shape[1];
        (in_place ? warn : trap)("PARTIAL_OVERLAP", api, pc,
                                 "%s: dst and src share memory; each number of src is written several times.", api);
    }
    add_span(instr, work, work.data ? 32 : 0, true);
    if (to == 0) {
        return;
    }
    issue(instr);
    Instr copy =
        vector_instr(api, facts.steps[1], pc, type, to); // blocks of the first instruction are copied along the row
    issue(copy);
    Scratch held;
    held.copy(src.data, from * bytes);
    const uint8_t *values = held.take();
    // Copied row by row: within the last axis a row is either the source's row or one value repeated.
    const uint32_t last = dst_shape[dims - 1];
    const bool repeated = src_shape[dims - 1] == 1 && last != 1;
    for (uint64_t row = 0; row < to / last; ++row) {
        uint64_t rest = row, at = 0, step = src_shape[dims - 1];
        for (uint32_t k = dims - 1; k-- > 0;) {
            at += src_shape[k] == 1 ? 0 : rest % dst_shape[k] * step;
            step *= src_shape[k];
            rest /= dst_shape[k];
        }
        uint8_t *line = dst.data + row * last * bytes;
        if (!repeated) {
            std::memcpy(line, values + at * bytes, static_cast<size_t>(last) * bytes);
            continue;
        }
        for (uint32_t i = 0; i < last; ++i) {
            std::memcpy(line + static_cast<size_t>(i) * bytes, values + at * bytes, bytes);
        }
    }
}

} // namespace akgen::twin
