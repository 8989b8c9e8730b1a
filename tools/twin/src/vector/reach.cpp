// What a walk touches of an operand, and whether that collides with another operand.
#include "walk.h"
#include <vector>

namespace akgen::twin {
namespace {

uint32_t top_lane(const Walk &w) // one past the highest active lane of a repeat
{
    if (w.prefix) {
        return w.repeats > 1 ? w.each : w.last;
    }
    return w.hi ? 128 - static_cast<uint32_t>(__builtin_clzll(w.hi))
                : 64 - static_cast<uint32_t>(__builtin_clzll(w.lo));
}

} // namespace

uint64_t extent_bytes(const Walk &w, const Operand &o)
{
    if (w.active == 0) {
        return 0;
    }
    const uint32_t bytes = (top_lane(w) * o.bits + 7) / 8;
    const uint32_t last_bytes = w.prefix ? (w.last * o.bits + 7) / 8 : bytes;
    const auto reach = [&](uint32_t n) -> uint64_t {
        const uint32_t whole = (n - 1) / block_bytes;
        const uint64_t straight = static_cast<uint64_t>(whole) * o.block * block_bytes + (n - whole * block_bytes);
        return o.block == 0 ? (whole ? block_bytes : n) : straight;
    };
    const uint64_t tail = static_cast<uint64_t>(w.repeats - 1) * o.repeat * block_bytes + reach(last_bytes);
    if (w.repeats == 1) {
        return tail;
    }
    const uint64_t body = static_cast<uint64_t>(w.repeats - 2) * o.repeat * block_bytes + reach(bytes);
    return tail > body ? tail : body;
}

void add_access(Instr &instr, const Walk &w, const Operand &o)
{
    if (w.active == 0) {
        return;
    }
    const uint32_t bytes = (top_lane(w) * o.bits + 7) / 8;
    const uint32_t blocks = (bytes + block_bytes - 1) / block_bytes;
    Access a{o.view.data, 0, 1, 0, false, o.view.size_bytes};
    const uint64_t repeat_bytes = static_cast<uint64_t>(o.repeat) * block_bytes;
    if (w.repeats == 1 || o.repeat == 0) { // one repeat's shape, however often
        if (o.block <= 1 || blocks == 1) {
            a.row_bytes = o.block == 0 && bytes > block_bytes ? block_bytes : bytes;
        } else {
            a.row_bytes = bytes < block_bytes ? bytes : block_bytes;
            a.rows = blocks;
            a.row_stride = static_cast<int64_t>(o.block) * block_bytes;
        }
    } else if (o.block <= 1 || blocks == 1) {
        const uint64_t row = o.block == 0 && bytes > block_bytes ? block_bytes : bytes;
        if (row == repeat_bytes || (packed(w, o) && bytes * 8 == w.lanes * o.bits)) {
            a.row_bytes = extent_bytes(w, o);
        } else if (w.prefix && w.last != w.each) { // counter mode: the last row is shorter, so it is added on its own
            a.row_bytes = row;
            a.rows = w.repeats - 1;
            a.row_stride = static_cast<int64_t>(repeat_bytes);
            const uint8_t *tail = o.view.data + repeat_bytes * (w.repeats - 1);
            const uint64_t used = repeat_bytes * (w.repeats - 1);
            const uint32_t left = o.view.size_bytes == 0     ? 0
                                  : o.view.size_bytes > used ? static_cast<uint32_t>(o.view.size_bytes - used)
                                                             : 1;
            const uint32_t tail_bytes = (w.last * o.bits + 7) / 8;
            if (instr.n_access < 6) {
                instr.access[instr.n_access++] = Access{
                    tail, o.block == 0 && tail_bytes > block_bytes ? block_bytes : tail_bytes, 1, 0, o.use != Use::READ,
                    left};
            }
        } else {
            a.row_bytes = row;
            a.rows = w.repeats;
            a.row_stride = static_cast<int64_t>(repeat_bytes);
        }
    } else if (o.repeat == 1) { // repeats side by side inside each block column
        a.row_bytes = static_cast<uint64_t>(w.repeats) * block_bytes;
        a.rows = blocks;
        a.row_stride = static_cast<int64_t>(o.block) * block_bytes;
    } else if (o.repeat == o.block * blocks) {
        a.row_bytes = block_bytes;
        a.rows = w.repeats * blocks;
        a.row_stride = static_cast<int64_t>(o.block) * block_bytes;
    } else { // two strides at once: each repeat is taken from its first to its last byte
        a.row_bytes = static_cast<uint64_t>(blocks - 1) * o.block * block_bytes + block_bytes;
        a.rows = w.repeats;
        a.row_stride = static_cast<int64_t>(repeat_bytes);
    }
    if (o.use != Use::WRITE && instr.n_access < 6) {
        a.write = false;
        instr.access[instr.n_access++] = a;
    }
    if (o.use != Use::READ && instr.n_access < 6) {
        a.write = true;
        instr.access[instr.n_access++] = a;
    }
}

uint32_t block_stride(const char *api, const void *pc, const Walk &w, const Operand &dst)
{
    if (dst.block != 0) {
        return dst.block;
    }
    const Operand packed_one{dst.name, dst.view, dst.bits, 1, 0, dst.use};
    if (extent_bytes(w, packed_one) > block_bytes) {
        warn("STRIDE_RANGE", api, pc, "%s: the block stride 0 of %s counts as 1; its reference rules it out.", api,
             dst.name);
    }
    return 1;
}

bool check_overlap(const char *api, const void *pc, const Walk &w, const Operand &dst, const Operand &src, bool carries)
{
    const uint64_t dst_bytes = extent_bytes(w, dst);
    const uint64_t src_bytes = extent_bytes(w, src);
    const uint8_t *d = dst.view.data;
    const uint8_t *s = src.view.data;
    if (d + dst_bytes <= s || s + src_bytes <= d) {
        return false;
    }
    const bool same_width = dst.bits == src.bits;
    if (same_width && d == s && dst.block == src.block && dst.repeat == src.repeat) {
        return false;
    }
    if (dst.repeat == 0 && src.repeat == 0 && d == s) {
        return false; // accumulation over repeats into one place
    }
    if (carries && same_width && d == s && dst.block == src.block && (dst.repeat == 0 || src.repeat == 0)) {
        return false;
    }
    // Which repeat wrote each block, then: does a later repeat read it, or the same repeat at another place?
    const uint8_t *low = d < s ? d : s;
    const uint8_t *high = d + dst_bytes > s + src_bytes ? d + dst_bytes : s + src_bytes;
    // Kept between calls: a trap leaves this function without running destructors.
    static thread_local std::vector<uint32_t> writer;
    static thread_local std::vector<uint8_t> place;
    writer.assign(static_cast<size_t>(high - low) / block_bytes + 2, 0);
    place.assign(writer.size(), 0);
    const auto blocks_of = [&](const Operand &o, uint32_t repeat) {
        const uint32_t n = w.prefix ? (repeat + 1 == w.repeats ? w.last : w.each) : top_lane(w);
        return (n * o.bits + block_bytes * 8 - 1) / (block_bytes * 8);
    };
    for (uint32_t r = 0; r < w.repeats; ++r) {
        for (uint32_t b = 0; b < blocks_of(dst, r); ++b) {
            const size_t at =
                static_cast<size_t>(d - low) / block_bytes + static_cast<size_t>(r) * dst.repeat + b * dst.block;
            if (at < writer.size() && writer[at] == 0) {
                writer[at] = r + 1;
                place[at] = static_cast<uint8_t>(b);
            }
        }
    }
    const auto at_of = [&](uint32_t r, uint32_t b) {
        return static_cast<size_t>(s - low) / block_bytes + static_cast<size_t>(r) * src.repeat +
               static_cast<size_t>(b) * src.block;
    };
    bool shifted = false;
    for (uint32_t r = 0; r < w.repeats; ++r) {
        for (uint32_t b = 0; b < blocks_of(src, r); ++b) {
            const size_t at = at_of(r, b);
            if (at >= writer.size() || writer[at] == 0) {
                continue;
            }
            const uint32_t by = writer[at] - 1;
            if (by < r) {
                trap("PARTIAL_OVERLAP", api, pc,
                     "%s: %s overlaps %s by an offset of %lld bytes; repeat %u writes what repeat %u reads.", api,
                     dst.name, src.name, static_cast<long long>(d - s), by, r);
            }
            shifted = shifted || (by == r && same_width && place[at] != b);
        }
    }
    if (shifted) { // read before written on the chip, but outside what the vendor guarantees
        warn("PARTIAL_OVERLAP", api, pc,
             "%s: %s overlaps %s by an offset of %lld bytes; only the same address, or none of the same bytes, is "
             "guaranteed.",
             api, dst.name, src.name, static_cast<long long>(d - s));
    }
    return true;
}

} // namespace akgen::twin
