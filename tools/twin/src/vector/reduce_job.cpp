// What all reductions over repeats share.
#include "reduce_job.h"
#include "record.h"
#include <cstring>

namespace akgen::twin {

void begin(ReduceJob &j)
{
    require_operand(j.api, j.pc, "src", j.src);
    if (j.src_block < 0 || j.src_block > 65535 || j.src_repeat < 0 || j.src_repeat > 65535 || j.dst_repeat < 0 ||
        j.dst_repeat > 65535) {
        trap("STRIDE_RANGE", j.api, j.pc, "%s takes strides of 0 to 65535; got %lld, %lld, %lld", j.api,
             static_cast<long long>(j.dst_repeat), static_cast<long long>(j.src_block),
             static_cast<long long>(j.src_repeat));
    }
    const uint32_t bytes = dtype_bytes(j.type);
    j.lanes = 256 / bytes;
    j.walk = walk_repeat(j.api, j.pc, j.lanes, j.mask, j.repeat);
    j.source = Operand{
        "src", j.src, bytes * 8, static_cast<uint32_t>(j.src_block), static_cast<uint32_t>(j.src_repeat), Use::READ};
}

void record(const ReduceJob &j, uint64_t result_bytes, uint64_t step_bytes)
{
    Instr instr = vector_instr(j.api, j.row, j.pc, j.type, j.walk);
    add_access(instr, j.walk, j.source);
    if (result_bytes) {
        Access out{j.dst.data, result_bytes, j.walk.repeats, static_cast<int64_t>(step_bytes), true, j.dst.size_bytes};
        if (step_bytes <= result_bytes) {
            out = Access{j.dst.data, step_bytes * (j.walk.repeats - 1) + result_bytes, 1, 0, true, j.dst.size_bytes};
        }
        instr.access[instr.n_access++] = out;
    }
    issue(instr);
}

bool active(const Walk &w, uint32_t repeat, uint32_t lane)
{
    return w.prefix ? lane < (repeat + 1 == w.repeats ? w.last : w.each) : lane_on(w, lane);
}
bool all_active(const ReduceJob &j, uint32_t r)
{
    const Walk &w = j.walk;
    if (w.prefix) {
        return (r + 1 == w.repeats ? w.last : w.each) == j.lanes;
    }
    return w.lo == ~uint64_t{0} && (j.lanes <= 64 || w.hi == ~uint64_t{0});
}
void load_repeat(const ReduceJob &j, uint32_t r, float *lane, float rest)
{
    const uint32_t step = 32 / dtype_bytes(j.type);
    const bool all = all_active(j, r);
    if (all && j.source.block == 1) {
        const uint8_t *at = lane_address(j.source, r, 0);
        if (j.type == DType::F16) {
            widen_half(reinterpret_cast<const uint16_t *>(at), lane, j.lanes);
        } else {
            std::memcpy(lane, at, 256);
        }
        return;
    }
    for (uint32_t base = 0; base < j.lanes; base += step) {
        const uint8_t *at = lane_address(j.source, r, base);
        if (all && j.type == DType::F16) {
            widen_half(reinterpret_cast<const uint16_t *>(at), lane + base, step);
            continue;
        }
        if (all) {
            std::memcpy(lane + base, at, 32);
            continue;
        }
        for (uint32_t i = 0; i < step; ++i) {
            lane[base + i] = active(j.walk, r, base + i) ? load_real(j.type, at, i) : rest;
        }
    }
}
Extreme extreme_of(const ReduceJob &j, uint32_t r)
{
    if (all_active(j, r)) {
        float lane[128];
        load_repeat(j, r, lane, 0.0f);
        return span_extreme(j.op, DType::F32, reinterpret_cast<const uint8_t *>(lane), j.lanes);
    }
    Extreme best{0.0f, ~uint64_t{0}};
    const uint32_t step = 32 / dtype_bytes(j.type);
    for (uint32_t base = 0; base < j.lanes; base += step) {
        const uint8_t *at = lane_address(j.source, r, base);
        for (uint32_t i = 0; i < step; ++i) {
            if (active(j.walk, r, base + i)) {
                const float v = load_real(j.type, at, i);
                if (best.index == ~uint64_t{0} || beats(j.op, v, best.value)) {
                    best = Extreme{v, base + i};
                }
            }
        }
    }
    return best;
}

void store_index(DType type, uint8_t *at, uint64_t index)
{
    if (type == DType::F16) {
        const uint16_t bits = static_cast<uint16_t>(index);
        std::memcpy(at, &bits, sizeof bits);
    } else {
        const uint32_t bits = static_cast<uint32_t>(index);
        std::memcpy(at, &bits, sizeof bits);
    }
}
uint64_t value_bits(DType type, float value)
{
    uint8_t raw[8] = {};
    store_real(type, raw, 0, value);
    uint64_t bits;
    std::memcpy(&bits, raw, sizeof bits);
    return bits;
}

} // namespace akgen::twin
