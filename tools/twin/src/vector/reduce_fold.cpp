// Products and truth values along an axis, and the sum of an exclusive or.
#include "composite.h"
#include "keyed.h"
#include "reduce.h"
#include "rounding.h"

namespace akgen::twin {
namespace {

struct FoldFacts {
    Fold key;
    ApiFacts api;
};
constexpr FoldFacts fold_rows[] = {
#define AKGEN_FOLD(Name, dtypes, op, live, ...) {Fold::op, {#Name, {__VA_ARGS__, nullptr}}},
#include "akgen/tables/reduce.def"
};
static_assert(one_row_each<Fold>(fold_rows));

float load(DType type, const uint8_t *data, uint64_t i)
{
    return type == DType::U8 ? data[i] : load_real(type, data, i);
}
void store(DType type, uint8_t *data, uint64_t i, float value)
{
    if (type == DType::U8) {
        data[i] = static_cast<uint8_t>(value);
    } else {
        store_real(type, data, i, value);
    }
}

} // namespace

void reduce_fold(Fold op, DType type, View dst, View src, View work, uint32_t first, uint32_t last, bool rows)
{
    const void *pc = __builtin_return_address(0);
    const ApiFacts &facts = row_of(fold_rows, op).api;
    const char *api = facts.name;
    const uint32_t bytes = dtype_bytes(type);
    const uint64_t row_bytes = static_cast<uint64_t>(last) * bytes;
    if (first == 0 || last == 0) {
        return;
    }
    require_whole_blocks(api, pc, "the last axis", last, bytes);
    Composite call(facts, pc, DType::F32, static_cast<uint64_t>(first) * last);
    call.span("src", src, first * row_bytes, false);
    call.span("dst", dst, static_cast<uint64_t>(rows ? first : last) * bytes, true);
    call.no_sharing();
    call.temporary(work, 32);
    call.record();
    const uint32_t runs = rows ? first : last;
    const uint32_t length = rows ? last : first;
    for (uint32_t r = 0; r < runs; ++r) {
        float value = op == Fold::ANY ? 0.0f : 1.0f;
        for (uint32_t i = 0; i < length; ++i) {
            const float x =
                load(type, src.data, rows ? static_cast<uint64_t>(r) * last + i : static_cast<uint64_t>(i) * last + r);
            value = op == Fold::PROD  ? value * x
                    : op == Fold::ANY ? (value != 0.0f || x != 0.0f)
                                      : (value != 0.0f && x != 0.0f);
        }
        store(type, dst.data, r, value);
    }
}

void reduce_xor_sum(View dst, View src0, View src1, View work, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    if (count < 0) {
        trap("VECTOR_COUNT", "ReduceXorSum", pc, "ReduceXorSum: the count %lld is negative.",
             static_cast<long long>(count));
    }
    const uint64_t span = static_cast<uint64_t>(count) * sizeof(int16_t);
    Composite call(apis::ReduceXorSum, pc, DType::F32, static_cast<uint64_t>(count));
    call.span("src0", src0, span, false);
    call.span("src1", src1, span, false);
    call.span("dst", dst, count == 0 ? 0 : sizeof(int16_t), true);
    call.no_sharing();
    call.temporary(work, 32);
    if (count == 0) {
        return;
    }
    call.record();
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) {
        sum += static_cast<int16_t>(reinterpret_cast<const int16_t *>(src0.data)[i] ^
                                    reinterpret_cast<const int16_t *>(src1.data)[i]);
    }
    *reinterpret_cast<int16_t *>(dst.data) = to_integer<int16_t, Round::RINT, float>(static_cast<float>(sum));
}

} // namespace akgen::twin
