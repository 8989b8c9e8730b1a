// Reductions that give results per repeat, per block or per pair.
#include "reduce.h"
#include "single.h"
#include "state.h"

namespace akgen::twin {
namespace {

struct Job {
    const char *api;
    const char *row;
    const void *pc;
    Reduce op;
    DType type;
    View dst, src;
    MaskArg mask;
    int64_t repeat, dst_repeat, src_block, src_repeat;
    uint32_t lanes = 0;
    Walk walk{};
    Operand source{};
};

void begin(Job &j)
{
    require_operand(j.api, j.pc, "src", j.src);
    if (j.src_block < 0 || j.src_block > 65535 || j.src_repeat < 0 || j.src_repeat > 65535 || j.dst_repeat < 0 ||
        j.dst_repeat > 65535) {
        trap("STRIDE_RANGE", j.api, j.pc, "%s takes strides of 0 to 65535; got %lld, %lld, %lld", j.api,
             static_cast<long long>(j.dst_repeat), static_cast<long long>(j.src_block), static_cast<long long>(j.src_repeat));
    }
    const uint32_t bytes = dtype_bytes(j.type);
    j.lanes = 256 / bytes;
    j.walk = walk_repeat(j.api, j.pc, j.lanes, j.mask, j.repeat);
    j.source = Operand{"src", j.src, bytes * 8, static_cast<uint32_t>(j.src_block), static_cast<uint32_t>(j.src_repeat), Use::READ};
}

// Results of `result_bytes` per repeat, `step_bytes` apart.
void record(const Job &j, uint64_t result_bytes, uint64_t step_bytes)
{
    Instr instr{};
    instr.api = j.api;
    instr.op = j.row;
    instr.pc = j.pc;
    instr.pipe = Pipe::V;
    instr.dtype = j.type;
    instr.repeats = j.walk.repeats;
    instr.elements = j.walk.active;
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
// One repeat as floats; `rest` fills the lanes that do not take part.
void load_repeat(const Job &j, uint32_t r, float *lane, float rest)
{
    const uint32_t step = 32 / dtype_bytes(j.type);
    for (uint32_t base = 0; base < j.lanes; base += step) {
        const uint8_t *at = lane_address(j.source, r, base);
        for (uint32_t i = 0; i < step; ++i) {
            lane[base + i] = active(j.walk, r, base + i) ? load_real(j.type, at, i) : rest;
        }
    }
}
Extreme extreme_of(const Job &j, uint32_t r)
{
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

void whole(Job &j, uint8_t order)
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
    static constexpr const char *kNames[] = {"WholeReduceMax", "WholeReduceMin", "WholeReduceSum"};
    Job j{kNames[static_cast<int>(op)], "ReduceRepeat", __builtin_return_address(0), op, type, dst, src, mask, repeat, dst_repeat, src_block, src_repeat};
    whole(j, order);
}
void reduce_whole_as(const char *api, Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat,
                     int64_t dst_repeat, int64_t src_block, int64_t src_repeat)
{
    Job j{api, "ReduceRepeat", __builtin_return_address(0), op, type, dst, src, mask, repeat, dst_repeat, src_block, src_repeat};
    whole(j, 0);
}

void reduce_block(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                  int64_t src_block, int64_t src_repeat)
{
    static constexpr const char *kNames[] = {"BlockReduceMax", "BlockReduceMin", "BlockReduceSum"};
    Job j{kNames[static_cast<int>(op)], "ReduceDataBlock", __builtin_return_address(0), op, type, dst, src, mask, repeat, dst_repeat, src_block, src_repeat};
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
    const uint32_t bytes = dtype_bytes(type);
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

void reduce_pair(DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat, int64_t src_block, int64_t src_repeat)
{
    Job j{"PairReduceSum", "ReducePairElem", __builtin_return_address(0), Reduce::SUM, type, dst, src, mask, repeat, dst_repeat, src_block, src_repeat};
    begin(j);
    if (j.walk.active == 0) {
        return;
    }
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

void reduce_accumulate(DType type, View src, MaskArg mask, int64_t repeat, int64_t src_block, int64_t src_repeat)
{
    Job j{"vcadd", "ReduceRepeat", __builtin_return_address(0), Reduce::SUM, type, {}, src, mask, repeat, 0, src_block, src_repeat};
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
    value = vector_state().extreme_value;
    index = vector_state().extreme_index;
}

void reduce_repeat(Reduce op, DType type, View dst, View src, View work, MaskArg mask, int64_t repeat, int64_t src_repeat, bool index)
{
    static constexpr const char *kNames[] = {"ReduceMax", "ReduceMin", "ReduceSum"};
    Job j{kNames[static_cast<int>(op)], "ReduceRepeat", __builtin_return_address(0), op, type, dst, src, mask, repeat, 0, 1, src_repeat};
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
    record(j, op != Reduce::SUM && index ? 2 * bytes : bytes, 0);
    if (op == Reduce::SUM) {
        float lane[128];
        float sums[256] = {};
        for (uint32_t r = 0; r < j.walk.repeats && r < 256; ++r) {
            load_repeat(j, r, lane, 0.0f);
            sums[r] = tree_sum(lane, j.lanes, type == DType::F16);
        }
        store_real(type, dst.data, 0, tree_sum(sums, 256, type == DType::F16));
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
