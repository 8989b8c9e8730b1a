// Welford's method: running statistics of a long axis that is cut.
#include "composite.h"
#include "reduce.h"

#include "akgen/vector_math.h"

namespace akgen::twin {
namespace {

const float *floats(const View &v) { return reinterpret_cast<const float *>(v.data); }
float *floats_of(const View &v) { return reinterpret_cast<float *>(v.data); }

} // namespace

void welford_update(const WelfordCall &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::WelfordUpdate.name;
    const uint32_t bytes = dtype_bytes(c.type);
    if (c.count == 0 || c.count > c.length || static_cast<uint64_t>(c.length) * bytes % 32 != 0) {
        trap("VECTOR_COUNT", api, pc,
             "WelfordUpdate: abComputeLength %u of abLength %u; 1 to abLength are possible, and abLength must fill "
             "whole blocks of 32 bytes.",
             c.count, c.length);
    }
    const uint64_t held = static_cast<uint64_t>(c.in_place ? c.length : c.count) * sizeof(float);
    Composite call(apis::WelfordUpdate, pc, DType::F32, c.count);
    call.span("inputX", c.src, static_cast<uint64_t>(c.count) * bytes, false);
    call.span("inputMean", c.mean, held, false);
    call.span("inputVariance", c.sum, held, false);
    call.span("outputMean", c.dst_mean, held, true);
    call.span("outputVariance", c.dst_sum, held, true);
    call.no_sharing();
    call.temporary(c.work, 32);
    call.record();
    for (uint32_t i = 0; i < c.length; ++i) {
        const float mean = floats(c.mean)[i], sum = floats(c.sum)[i];
        if (i < c.count) {
            const float away = load_real(c.type, c.src.data, i) - mean;
            const float moved = mean + away * c.share;
            floats_of(c.dst_mean)[i] = moved;
            floats_of(c.dst_sum)[i] = sum + away * (load_real(c.type, c.src.data, i) - moved);
        } else if (c.in_place) {
            floats_of(c.dst_mean)[i] = mean;
            floats_of(c.dst_sum)[i] = sum;
        }
    }
}

void welford_finalise(const WelfordFinal &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::WelfordFinalize.name;
    const bool weighted = c.counts.data != nullptr;
    if (c.length == 0 || c.length % 8 != 0) {
        trap("VECTOR_COUNT", api, pc, "WelfordFinalize: abLength %u is not a multiple of 8.", c.length);
    }
    if (!weighted && (c.head_length + c.tail_length != c.length || (c.tail == 0 && c.tail_length != 0))) {
        trap("VECTOR_COUNT", api, pc,
             "WelfordFinalize: headCountLength %u and tailCountLength %u (tailCount %u) do not make abLength %u.",
             c.head_length, c.tail_length, c.tail, c.length);
    }
    const uint64_t bytes = static_cast<uint64_t>(c.length) * sizeof(float);
    Composite call(apis::WelfordFinalize, pc, DType::F32, c.length);
    call.span("inputMean", c.mean, bytes, false);
    call.span("inputVariance", c.sum, bytes, false);
    call.span("counts", c.counts, bytes, false);
    call.span("outputMean", c.dst_mean, sizeof(float), true);
    call.span("outputVariance", c.dst_variance, sizeof(float), true);
    call.no_sharing();
    call.temporary(c.work, 32);
    call.record();
    // Without a tail every mean weighs the same, and the sums are scaled as the API scales them.
    const bool even = !weighted && c.tail == 0;
    const auto weight = [&](uint32_t i) {
        return even       ? static_cast<float>(c.rounds)
               : weighted ? static_cast<float>(reinterpret_cast<const int32_t *>(c.counts.data)[i])
                          : static_cast<float>(i < c.head_length ? c.head : c.tail);
    };
    std::vector<float> parts(c.length);
    for (uint32_t i = 0; i < c.length; ++i) {
        parts[i] = floats(c.mean)[i] * (even ? c.per_length : weight(i) * c.per_all);
    }
    const float mean = sum_of(parts);
    for (uint32_t i = 0; i < c.length; ++i) {
        const float away = floats(c.mean)[i] - mean;
        parts[i] = (floats(c.sum)[i] + weight(i) * away * away) * c.per_all;
    }
    floats_of(c.dst_mean)[0] = mean;
    floats_of(c.dst_variance)[0] = sum_of(parts);
}

} // namespace akgen::twin
