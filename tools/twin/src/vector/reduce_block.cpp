// Reductions that give one result per block of 32 bytes, or per pair of neighbours.
#include "reduce_job.h"

namespace akgen::twin {

void reduce_block(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                  int64_t src_block, int64_t src_repeat)
{
    ReduceJob j{name_of(block_reduce_rows, op),
                name_of(block_reduce_rows, op),
                __builtin_return_address(0),
                op,
                type,
                dst,
                src,
                mask,
                repeat,
                dst_repeat,
                src_block,
                src_repeat};
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
    const uint32_t bytes = dtype_bytes(type);
    require_operand(j.api, j.pc, "dst", dst, 8 * bytes);
    const uint32_t step = 32 / bytes;
    const uint64_t out_step = static_cast<uint64_t>(dst_repeat) * 8 * bytes;
    // A block without active lanes gives no result; the last one decides how far results reach.
    uint32_t reach = 8;
    while (reach > 1 && !active(j.walk, 0, (reach - 1) * step)) {
        bool any = false;
        for (uint32_t i = 0; i < step; ++i) {
            any = any || active(j.walk, 0, (reach - 1) * step + i);
        }
        if (any) {
            break;
        }
        --reach;
    }
    record(j, static_cast<uint64_t>(reach) * bytes, out_step);
    for (uint32_t r = 0; r < j.walk.repeats; ++r) {
        if (all_active(j, r)) {
            float lane[128];
            load_repeat(j, r, lane, 0.0f);
            op == Reduce::SUM ? tree_sum_blocks(lane, j.lanes, type == DType::F16) : extreme_blocks(op, lane, j.lanes);
            for (uint32_t b = 0; b < 8; ++b) {
                store_real(type, dst.data + r * out_step, b, lane[b]);
            }
            continue;
        }
        float result[8];
        bool has[8];
        for (uint32_t b = 0; b < 8; ++b) {
            const uint8_t *at = lane_address(j.source, r, b * step);
            float lane[16] = {};
            float best = 0.0f;
            bool any = false;
            for (uint32_t i = 0; i < step; ++i) {
                if (active(j.walk, r, b * step + i)) {
                    lane[i] = load_real(type, at, i);
                    best = !any || beats(op, lane[i], best) ? lane[i] : best;
                    any = true;
                }
            }
            has[b] = any;
            result[b] = op == Reduce::SUM ? tree_sum(lane, step, type == DType::F16) : best;
        }
        for (uint32_t b = 0; b < 8; ++b) { // after the whole repeat was read: results may lie on their own source
            if (has[b]) {
                store_real(type, dst.data + r * out_step, b, result[b]);
            }
        }
    }
}

void reduce_pair(DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat, int64_t src_block,
                 int64_t src_repeat)
{
    ReduceJob j{"PairReduceSum",
                "PairReduceSum",
                __builtin_return_address(0),
                Reduce::SUM,
                type,
                dst,
                src,
                mask,
                repeat,
                dst_repeat,
                src_block,
                src_repeat};
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
    require_operand(j.api, j.pc, "dst", dst);
    const uint32_t bytes = dtype_bytes(type);
    const uint64_t out_step = static_cast<uint64_t>(dst_repeat) * 128;
    const uint32_t top = j.walk.prefix ? (j.walk.repeats > 1 ? j.walk.each : j.walk.last) : j.lanes;
    record(j, static_cast<uint64_t>((top + 1) / 2) * bytes, out_step);
    for (uint32_t r = 0; r < j.walk.repeats; ++r) {
        float lane[128];
        load_repeat(j, r, lane, 0.0f);
        for (uint32_t p = 0; p < j.lanes / 2; ++p) {
            if (active(j.walk, r, 2 * p) || active(j.walk, r, 2 * p + 1)) {
                store_real(type, dst.data + r * out_step, p, lane[2 * p] + lane[2 * p + 1]);
            }
        }
    }
}

} // namespace akgen::twin
