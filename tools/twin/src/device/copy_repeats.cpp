// Copy: the vector unit moves elements inside the Unified Buffer.
#include "akgen/copy.h"
#include "core.h"
#include "transfer.h"
#include "vector/walk.h"
#include <cstring>

namespace akgen::twin {

void copy_repeats(View dst, View src, uint64_t lo, uint64_t hi, bool counted, uint32_t repeats, uint32_t dst_blk,
                  uint32_t src_blk, uint32_t dst_rep, uint32_t src_rep, DType dtype)
{
    const char *api = "Copy";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const uint32_t size = dtype_bytes(dtype);
    const uint32_t per_repeat = 256 / size;
    const bool counter = counted && self->mask.counter;
    uint64_t lanes = lo; // counted: the first `lo` elements
    if (counted && lo == 0) {
        if (counter) {
            lanes = self->mask.lo;
        } else {
            lo = self->mask.lo;
            hi = self->mask.hi;
            counted = false;
        }
    }
    if (repeats == 0) {
        return;
    }
    // Unlike the vector operations, Copy keeps its repeats in counter mode: each of them moves as many elements as the
    // mask says, 256 bytes and more, block after block.
    if (counted && !counter && lanes > per_repeat) {
        trap("MASK_RANGE", api, pc, "%s: mask %llu exceeds the %u elements of a repeat of %s.", api,
             static_cast<unsigned long long>(lanes), per_repeat, dtype_name(dtype));
    }
    require_local(api, pc, "dst", dst);
    require_local(api, pc, "src", src);
    const auto lane_on = [&](uint32_t lane) {
        return counted ? lane < lanes : ((lane < 64 ? lo >> lane : hi >> (lane - 64)) & 1) != 0;
    };
    uint32_t last = counter ? static_cast<uint32_t>(lanes) : 0;
    for (uint32_t lane = 0; !counter && lane < per_repeat; ++lane) {
        last = lane_on(lane) ? lane + 1 : last;
    }
    if (last == 0) {
        return;
    }
    const uint32_t per_block = block / size;
    const uint32_t blocks = (last + per_block - 1) / per_block;
    const auto reach = [&](uint32_t blk) {
        return uint64_t{blocks - 1} * blk * block + (last - (blocks - 1) * per_block) * size;
    };
    Instr in = transfer(api, pc, Pipe::V, dtype,
                        rows_of(dst.data, reach(dst_blk), repeats, dst_rep * block, true, dst.size_bytes),
                        rows_of(src.data, reach(src_blk), repeats, src_rep * block, false, src.size_bytes));
    in.repeats = repeats * ((last + per_repeat - 1) / per_repeat);
    in.elements = uint64_t{repeats} * last;
    if (blocks <= 8) {
        const BankOperand from{src.data, blocks, src_blk, src_rep};
        in.stalls = bank_stalls(repeats, {dst.data, blocks, dst_blk, dst_rep}, &from, 1);
    }
    issue(in);
    for (uint32_t r = 0; r < repeats; ++r) {
        for (uint32_t lane = 0; lane < last; ++lane) {
            if (lane_on(lane)) {
                const uint64_t in_block = (lane % per_block) * size;
                std::memmove(
                    dst.data + (uint64_t{r} * dst_rep + lane / per_block * uint64_t{dst_blk}) * block + in_block,
                    src.data + (uint64_t{r} * src_rep + lane / per_block * uint64_t{src_blk}) * block + in_block, size);
            }
        }
    }
}

} // namespace akgen::twin
