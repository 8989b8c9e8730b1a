// Gather, Gatherb and GatherMask.
#include "composite.h"
#include "record.h"
#include "state.h"

#include "akgen/vector.h"

namespace akgen::twin {
namespace {

// Say whether `bytes` from `begin` on lie in one on-chip memory.
bool in_memory(const uint8_t *begin, uint64_t bytes)
{
    const Region *region = place_of(begin).region;
    return region && bytes <= static_cast<uint64_t>(region->begin + region->size_bytes - begin);
}

// The reach of a set of byte offsets into `src`, checked element by element.
struct Reach {
    uint64_t low = ~uint64_t{0}, high = 0;
    void add(const char *api, const void *pc, const View &src, uint64_t offset, uint32_t bytes, uint32_t step,
             uint64_t element)
    {
        if (offset % step != 0) {
            trap("GATHER_OFFSET", api, pc, "%s: offset %llu (number %llu) is not a multiple of %u bytes", api,
                 static_cast<unsigned long long>(offset), static_cast<unsigned long long>(element), step);
        }
        if (src.size_bytes != 0 && offset + bytes > src.size_bytes) {
            constexpr const char *text = "%s: offset %llu (number %llu) lies outside the source, which has %u bytes";
            const auto at = static_cast<unsigned long long>(offset), number = static_cast<unsigned long long>(element);
            if (!in_memory(src.data, offset + bytes)) {
                trap("TENSOR_RANGE", api, pc, text, api, at, number, src.size_bytes);
            }
            warn("TENSOR_RANGE", api, pc, text, api, at, number, src.size_bytes);
        }
        low = offset < low ? offset : low;
        high = offset + bytes > high ? offset + bytes : high;
    }
};

void gather(const void *pc, DType type, const Operand &d, const Walk &w, View src, View offsets, uint32_t base)
{
    const uint32_t bytes = dtype_bytes(type);
    // The offsets are read by this very instruction: make them visible to the checks first.
    Instr instr = vector_instr(apis::Gather, pc, type, w.active);
    add_access(instr, w, d);
    add_span(instr, offsets,
             w.prefix ? (static_cast<uint64_t>(w.repeats - 1) * w.lanes + w.last) * 4
                      : static_cast<uint64_t>(w.repeats) * w.lanes * 4,
             false);
    const uint32_t *offset = reinterpret_cast<const uint32_t *>(offsets.data);
    const auto each = [&](auto &&visit) {
        for (uint32_t r = 0; r < w.repeats; ++r) {
            const uint32_t n = w.prefix ? (r + 1 == w.repeats ? w.last : w.each) : w.lanes;
            for (uint32_t lane = 0; lane < n; ++lane) {
                if (w.prefix || lane_on(w, lane)) {
                    visit(r, lane, static_cast<uint64_t>(r) * w.lanes + lane);
                }
            }
        }
    };
    const uint64_t offset_bytes = instr.access[instr.n_access - 1].row_bytes;
    if (in_memory(offsets.data, offset_bytes)) { // else the instruction ends before it reads one
        Reach reach;
        each([&](uint32_t, uint32_t, uint64_t i) {
            reach.add(apis::Gather.name, pc, src, static_cast<uint64_t>(base) + offset[i], bytes, bytes, i);
        });
        add_span(instr, part(src, reach.low), reach.high - reach.low, false);
    }
    warn_of_sharing(apis::Gather.name, pc, instr.access, instr.n_access);
    issue(instr);
    each([&](uint32_t r, uint32_t lane, uint64_t i) {
        std::memcpy(lane_address(d, r, lane), src.data + base + offset[i], bytes);
    });
}

} // namespace

void gather_count(DType type, View dst, View src, View offsets, uint32_t base, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    require_operand(apis::Gather.name, pc, "dst", dst);
    require_operand(apis::Gather.name, pc, "src", src);
    require_operand(apis::Gather.name, pc, "srcOffset", offsets);
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = walk_count(apis::Gather.name, pc, 256 / bytes, count);
    if (w.active != 0) {
        gather(pc, type, Operand{"dst", dst, bytes * 8, 1, 8, Use::WRITE}, w, src, offsets, base);
    }
}

void gather_repeat(DType type, View dst, View src, View offsets, uint32_t base, MaskArg mask, uint32_t repeat,
                   uint32_t dst_repeat)
{
    const void *pc = __builtin_return_address(0);
    require_operand(apis::Gather.name, pc, "dst", dst);
    require_operand(apis::Gather.name, pc, "src", src);
    require_operand(apis::Gather.name, pc, "srcOffset", offsets);
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = walk_repeat(apis::Gather.name, pc, 256 / bytes, mask, repeat);
    const Operand d{"dst", dst, bytes * 8, 1, dst_repeat, Use::WRITE};
    require_stride(apis::Gather.name, pc, d);
    if (w.active != 0) {
        gather(pc, type, d, w, src, offsets, base);
    }
}

void gather_blocks(DType type, View dst, View src, View offsets, uint32_t repeat, uint32_t dst_block,
                   uint32_t dst_repeat)
{
    const void *pc = __builtin_return_address(0);
    require_operand(apis::Gatherb.name, pc, "dst", dst);
    require_operand(apis::Gatherb.name, pc, "src", src);
    require_operand(apis::Gatherb.name, pc, "srcOffset", offsets);
    if (repeat == 0) {
        return;
    }
    const uint32_t bytes = dtype_bytes(type);
    const Walk w = whole_repeats(256 / bytes, repeat);
    dst_block = dst_block == 0 ? 1 : dst_block; // as its page says of this chip
    Instr instr = vector_instr(apis::Gatherb, pc, bytes == 2 ? DType::U16 : DType::U32, w.active);
    add_access(instr, w, Operand{"dst", dst, bytes * 8, dst_block, dst_repeat, Use::WRITE});
    add_span(instr, offsets, static_cast<uint64_t>(repeat) * 32, false);
    const uint32_t *offset = reinterpret_cast<const uint32_t *>(offsets.data);
    if (in_memory(offsets.data, static_cast<uint64_t>(repeat) * 32)) {
        Reach reach;
        for (uint32_t i = 0; i < repeat * 8; ++i) {
            reach.add(apis::Gatherb.name, pc, src, offset[i], 32, 32, i);
        }
        add_span(instr, part(src, reach.low), reach.high - reach.low, false);
    }
    warn_of_sharing(apis::Gatherb.name, pc, instr.access, instr.n_access);
    issue(instr);
    for (uint32_t r = 0; r < repeat; ++r) {
        for (uint32_t b = 0; b < 8; ++b) {
            std::memmove(dst.data + 32 * (static_cast<uint64_t>(r) * dst_repeat + static_cast<uint64_t>(b) * dst_block),
                         src.data + offset[r * 8 + b], 32);
        }
    }
}

uint64_t gather_mask(DType type, View dst, View src, View bits, uint8_t pattern, bool counted, uint32_t mask,
                     uint32_t block_stride, uint32_t repeats, uint32_t src_repeat, uint32_t bits_repeat)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::GatherMask.name;
    require_operand(api, pc, "dst", dst);
    require_operand(api, pc, "src", src);
    if (bits.data) {
        require_operand(api, pc, "src1Pattern", bits);
    } else if (pattern < 1 || pattern > 7) {
        trap("GATHER_PATTERN", api, pc, "%s: built-in patterns are 1 to 7; got %u", api, pattern);
    }
    const uint32_t bytes = dtype_bytes(type);
    const uint32_t each = counted ? mask : 256 / bytes;
    if (repeats == 0 || each == 0) {
        return 0;
    }
    const auto taken = [&](uint32_t repeat, uint32_t lane) {
        if (bits.data) {
            const uint8_t *at = bits.data + static_cast<uint64_t>(repeat) * bits_repeat * 32;
            return (at[lane / 8] >> (lane % 8) & 1) != 0;
        }
        return pattern == 7 || (pattern <= 2 ? lane % 2 == pattern - 1u : lane % 4 == pattern - 3u);
    };
    const uint32_t per_block = 32 / bytes;
    const auto address = [&](uint32_t repeat, uint32_t lane) {
        const uint64_t block =
            static_cast<uint64_t>(repeat) * src_repeat + static_cast<uint64_t>(lane / per_block) * block_stride;
        return src.data + 32 * block + static_cast<uint64_t>(lane % per_block) * bytes;
    };
    Instr instr = vector_instr(apis::GatherMask, pc, type, static_cast<uint64_t>(each) * repeats);
    const uint64_t reach = static_cast<uint64_t>(address(repeats - 1, each - 1) - src.data) + bytes;
    const bool rows = repeats > 1 && block_stride == 1 &&
                      static_cast<uint64_t>(src_repeat) * 32 > static_cast<uint64_t>(each) * bytes;
    if (rows) {
        instr.access[instr.n_access++] = Access{src.data, static_cast<uint64_t>(each) * bytes,
                                                repeats,  static_cast<int64_t>(src_repeat) * 32,
                                                false,    src.size_bytes};
    } else {
        add_span(instr, src, reach, false);
    }
    add_span(instr, bits, static_cast<uint64_t>(repeats - 1) * bits_repeat * 32 + (each + 7) / 8, false);
    if (bits.data == nullptr || bits.size_bytes == 0 || instr.access[instr.n_access - 1].row_bytes <= bits.size_bytes) {
        uint64_t total = 0;
        for (uint32_t r = 0; r < repeats; ++r) {
            for (uint32_t i = 0; i < each; ++i) {
                total += taken(r, i) ? 1 : 0;
            }
        }
        add_span(instr, dst, total * bytes, true);
    }
    issue(instr);
    uint64_t kept = 0;
    for (uint32_t r = 0; r < repeats; ++r) {
        for (uint32_t i = 0; i < each; ++i) {
            if (taken(r, i)) {
                std::memmove(dst.data + kept++ * bytes, address(r, i), bytes);
            }
        }
    }
    vector_state().gathered = kept;
    return kept;
}
int64_t gather_mask_rest() { return static_cast<int64_t>(vector_state().gathered); }

} // namespace akgen::twin
