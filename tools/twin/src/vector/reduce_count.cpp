// Reductions of contiguous elements to one result each: ReduceSum and its kin, Sum, Mean, and the row patterns.
#include "loops.h"

#include "../device/core.h"

#include "reduce.h"
#include "reduce_job.h"
#include "composite.h"
#include "record.h"
#include "state.h"

#include "akgen/sync.h"

namespace akgen::twin {
namespace {

// Further passes over the results of the first, until one is left: time only.
void later_passes(const Instr &first, uint64_t results, uint32_t lanes)
{
    while (results > 1) {
        Instr pass = vector_instr(first.api, first.op, first.pc, first.dtype, results);
        issue(pass);
        results = (results + lanes - 1) / lanes;
    }
}

// The sum leaves the accumulator through the scalar unit, which the API makes wait for the vector unit and which the
// next instruction of any pipe comes after.
void scalar_result(const Instr &sum, const View &dst)
{
    if (!launch->auto_sync) {
        pipe_barrier(Pipe::ALL);
    }
    Instr store{};
    store.api = sum.api;
    store.op = sum.api;
    store.pc = sum.pc;
    store.pipe = Pipe::S;
    store.dtype = sum.dtype;
    store.elements = store.repeats = 1;
    add_span(store, dst, dtype_bytes(sum.dtype), true);
    issue(store);
}

} // namespace

void reduce_count(Reduce op, DType type, View dst, View src, View work, int64_t count, bool index)
{
    const void *pc = __builtin_return_address(0);
    const char *api = name_of(reduce_rows, op);
    require_operand(api, pc, "src", src);
    require_operand(api, pc, "sharedTmpBuffer", work);
    const uint32_t bytes = dtype_bytes(type);
    const uint32_t lanes = 256 / bytes;
    const Walk w = walk_count(api, pc, lanes, count);
    if (w.active == 0) {
        return;
    }
    const uint64_t results = static_cast<uint64_t>(w.repeats) * (op == Reduce::SUM ? 1 : 2);
    if (work.size_bytes != 0 && work.size_bytes < results * bytes) {
        trap("WORK_TENSOR", api, pc, "%s of %llu elements needs a work tensor of %llu bytes; it has %u", api,
             static_cast<unsigned long long>(w.active),
             static_cast<unsigned long long>((results * bytes + 31) / 32 * 32), work.size_bytes);
    }
    Instr instr = vector_instr(api, api, pc, type, w.active);
    instr.access[0] = Access{src.data, w.active * bytes, 1, 0, false, src.size_bytes};
    instr.n_access = 1;
    if (op != Reduce::SUM) {
        require_operand(api, pc, "dst", dst, 2 * bytes);
        add_span(instr, dst, (index ? 2u : 1u) * bytes, true);
    }
    issue(instr);
    later_passes(instr, w.repeats, op == Reduce::SUM ? lanes : lanes / 2);
    if (op == Reduce::SUM) {
        scalar_result(instr, dst);
        const float sum = span_sum(type, src.data, w.active);
        store_real(type, dst.data, 0, sum);
        vector_state().acc_bits = value_bits(type, sum);
        return;
    }
    const Extreme e = span_extreme(op, type, src.data, w.active);
    store_real(type, dst.data, 0, e.value);
    if (index) {
        store_index(type, dst.data + bytes, e.index);
    }
    vector_state().extreme_value = value_bits(type, e.value);
    vector_state().extreme_index = e.index;
}

void sum_rows(const char *api, DType type, View dst, View src, View work, uint32_t outer, uint32_t inner, uint32_t n,
              float scale)
{
    const void *pc = __builtin_return_address(0);
    require_operand(api, pc, "src", src);
    require_operand(api, pc, "dst", dst);
    const uint32_t bytes = dtype_bytes(type);
    if (n > inner) {
        trap("VECTOR_COUNT", api, pc, "%s: a row counts %u elements, but rows are %u apart", api, n, inner);
    }
    require_whole_blocks(api, pc, "a row", inner, bytes);
    if (outer == 0 || n == 0) {
        return;
    }
    Instr instr = vector_instr(api, "WholeReduceSum", pc, type, static_cast<uint64_t>(outer) * n);
    instr.access[0] = Access{
        src.data, static_cast<uint64_t>(n) * bytes, outer, static_cast<int64_t>(inner) * bytes, false, src.size_bytes};
    instr.access[1] = Access{dst.data, static_cast<uint64_t>(outer) * bytes, 1, 0, true, dst.size_bytes};
    instr.n_access = 2;
    warn_of_sharing(api, pc, instr.access, instr.n_access);
    const uint32_t lanes = 256 / bytes;
    // The first pass over a row leaves one result for each repeat.
    const uint64_t results = (static_cast<uint64_t>((n + lanes - 1) / lanes) * bytes + 31) / 32 * 32;
    require_temporary(api, pc, work, results);
    if (work.data) {
        instr.access[instr.n_access++] = Access{work.data, results, 1, 0, true, work.size_bytes};
    }
    issue(instr);
    for (uint32_t r = 0; r < outer; ++r) {
        later_passes(instr, (n + lanes - 1) / lanes, lanes);
        const float sum = span_sum(type, src.data + static_cast<uint64_t>(r) * inner * bytes, n);
        store_real(type, dst.data, r, scale == 1.0f ? sum : sum * scale);
    }
}

void reduce_pattern(Reduce op, DType type, View dst, View src, View work, uint32_t first, uint32_t last, bool rows,
                    bool mean)
{
    const void *pc = __builtin_return_address(0);
    const char *api = mean ? "ReduceMean" : name_of(reduce_rows, op);
    require_operand(api, pc, "src", src);
    require_operand(api, pc, "dst", dst);
    const uint32_t bytes = dtype_bytes(type);
    const uint64_t n = static_cast<uint64_t>(first) * last;
    if (n == 0) {
        return;
    }
    require_whole_blocks(api, pc, "the last axis", last, bytes);
    Instr instr = vector_instr(api, rows ? name_of(reduce_rows, op) : "Add", pc, type, n);
    instr.access[0] = Access{src.data, n * bytes, 1, 0, false, src.size_bytes};
    instr.access[1] = Access{dst.data, static_cast<uint64_t>(rows ? first : last) * bytes, 1, 0, true, dst.size_bytes};
    instr.n_access = 2;
    warn_of_sharing(api, pc, instr.access, instr.n_access);
    require_temporary(api, pc, work, 32);
    if (work.data) {
        instr.access[instr.n_access++] = Access{work.data, 32, 1, 0, true, work.size_bytes};
    }
    issue(instr);
    const float scale = mean ? 1.0f / static_cast<float>(rows ? last : first) : 1.0f;
    if (rows) {
        for (uint32_t r = 0; r < first; ++r) {
            const uint8_t *row = src.data + static_cast<uint64_t>(r) * last * bytes;
            const float value =
                op == Reduce::SUM ? span_sum(type, row, last) * scale : span_extreme(op, type, row, last).value;
            store_real(type, dst.data, r, value);
        }
        return;
    }
    for (uint32_t c = 0; c < last; ++c) {
        float value = load_real(type, src.data, c);
        for (uint32_t r = 1; r < first; ++r) {
            const float v = load_real(type, src.data, static_cast<uint64_t>(r) * last + c);
            value = op == Reduce::SUM ? value + v : beats(op, v, value) ? v : value;
        }
        store_real(type, dst.data, c, value * scale);
    }
}

} // namespace akgen::twin
