// Reductions that give one result per repeat, or one for all repeats.
#include "reduce_job.h"
#include "device/guest.h"
#include "state.h"
#include <cstring>
#include <vector>

namespace akgen::twin {
namespace {

void whole(ReduceJob &j, uint8_t order)
{
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
    const uint32_t bytes = dtype_bytes(j.type);
    if (j.op == Reduce::SUM) {
        record(j, bytes, static_cast<uint64_t>(j.dst_repeat) * bytes);
        float lane[128];
        for (uint32_t r = 0; r < j.walk.repeats; ++r) {
            load_repeat(j, r, lane, 0.0f);
            store_real(j.type, j.dst.data + static_cast<uint64_t>(r) * static_cast<uint64_t>(j.dst_repeat) * bytes, 0,
                       tree_sum(lane, j.lanes, j.type == DType::F16));
        }
        return;
    }
    enum : uint8_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
    const bool alone = order == ONLY_VALUE || order == ONLY_INDEX;
    require_operand(j.api, j.pc, "dst", j.dst, order == ONLY_VALUE ? bytes : order == ONLY_INDEX ? 4 : 2 * bytes);
    // Pages before CANN 9 ask for two elements in whatever order; public kernels take one, and pass on devices.
    if (alone && reinterpret_cast<uint64_t>(j.dst.data) % (2 * bytes) != 0) {
        warn("UB_ALIGNMENT", j.api, j.pc, "%s: results want to start at a multiple of %u bytes, in whatever order.",
             j.api, 2 * bytes);
    }
    const uint64_t result = order == ONLY_VALUE ? bytes : order == ONLY_INDEX ? 4 : 2 * bytes;
    const uint64_t step = result * static_cast<uint64_t>(j.dst_repeat);
    record(j, result, step);
    Extreme all{0.0f, 0};
    for (uint32_t r = 0; r < j.walk.repeats; ++r) {
        const Extreme e = extreme_of(j, r);
        if (r == 0 || beats(j.op, e.value, all.value)) {
            all = Extreme{e.value, static_cast<uint64_t>(r) * j.lanes + e.index};
        }
        uint8_t *at = j.dst.data + r * step;
        if (order == ONLY_INDEX) {
            store_index(DType::F32, at, e.index);
            continue;
        }
        store_real(j.type, at + (order == INDEX_VALUE ? bytes : 0), 0, e.value);
        if (order != ONLY_VALUE) {
            store_index(j.type, at + (order == INDEX_VALUE ? 0 : bytes), e.index);
        }
    }
    vector_state().extreme_value = value_bits(j.type, all.value);
    vector_state().extreme_index = all.index;
}

} // namespace

void reduce_whole(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                  int64_t src_block, int64_t src_repeat, uint8_t order)
{
    ReduceJob j{name_of(whole_reduce_rows, op),
                name_of(whole_reduce_rows, op),
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
    whole(j, order);
}
void reduce_whole_as(const char *api, Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat,
                     int64_t dst_repeat, int64_t src_block, int64_t src_repeat)
{
    ReduceJob j{api,       "WholeReduceSum", __builtin_return_address(0), op, type, dst, src, mask, repeat, dst_repeat,
                src_block, src_repeat};
    whole(j, 0);
}

void reduce_accumulate(DType type, View src, MaskArg mask, int64_t repeat, int64_t src_block, int64_t src_repeat)
{
    ReduceJob j{"vcadd",   "WholeReduceSum", __builtin_return_address(0), Reduce::SUM, type, {}, src, mask, repeat, 0,
                src_block, src_repeat};
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
    record(j, 0, 0);
    float total = 0.0f;
    for (uint32_t r = 0; r < j.walk.repeats; ++r) {
        float lane[128];
        load_repeat(j, r, lane, 0.0f);
        total += tree_sum(lane, j.lanes, type == DType::F16);
    }
    vector_state().acc_bits = value_bits(type, total);
}
uint64_t accumulator() { return vector_state().acc_bits; }
void last_extreme(uint64_t &value, uint64_t &index)
{
    const void *pc = __builtin_return_address(0);
    require_guest("GetReduceMaxMinCount", pc, &value, sizeof value, true);
    require_guest("GetReduceMaxMinCount", pc, &index, sizeof index, true);
    value = vector_state().extreme_value;
    index = vector_state().extreme_index;
}

void reduce_repeat(Reduce op, DType type, View dst, View src, View work, MaskArg mask, int64_t repeat,
                   int64_t src_repeat, bool index)
{
    ReduceJob j{name_of(reduce_rows, op),
                name_of(reduce_rows, op),
                __builtin_return_address(0),
                op,
                type,
                dst,
                src,
                mask,
                repeat,
                0,
                1,
                src_repeat};
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
    require_operand(j.api, j.pc, "sharedTmpBuffer", work);
    const uint32_t bytes = dtype_bytes(type);
    const uint64_t results = static_cast<uint64_t>(j.walk.repeats) * (op == Reduce::SUM ? 1 : 2);
    if (work.size_bytes != 0 && work.size_bytes < results * bytes) {
        trap("WORK_TENSOR", j.api, j.pc, "%s needs a work tensor of %llu bytes for %u repeats; it has %u", j.api,
             static_cast<unsigned long long>(results * bytes), j.walk.repeats, work.size_bytes);
    }
    if (op != Reduce::SUM) {
        require_operand(j.api, j.pc, "dst", dst, 2 * bytes);
    }
    record(j, op != Reduce::SUM && index ? 2 * bytes : bytes, 0);
    if (op == Reduce::SUM) {
        static thread_local std::vector<uint8_t> sums;
        sums.resize(static_cast<size_t>(j.walk.repeats) * bytes);
        float lane[128];
        for (uint32_t r = 0; r < j.walk.repeats; ++r) {
            load_repeat(j, r, lane, 0.0f);
            store_real(type, sums.data(), r, tree_sum(lane, j.lanes, type == DType::F16));
        }
        store_real(type, dst.data, 0, span_sum(type, sums.data(), j.walk.repeats));
        return;
    }
    Extreme all{0.0f, 0};
    for (uint32_t r = 0; r < j.walk.repeats; ++r) {
        const Extreme e = extreme_of(j, r);
        if (r == 0 || beats(op, e.value, all.value)) {
            all = Extreme{e.value, static_cast<uint64_t>(r) * j.lanes + e.index};
        }
    }
    store_real(type, dst.data, 0, all.value);
    if (index) {
        store_index(type, dst.data + bytes, all.index);
    }
    vector_state().extreme_value = value_bits(type, all.value);
    vector_state().extreme_index = all.index;
}

} // namespace akgen::twin
