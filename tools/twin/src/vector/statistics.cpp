// GroupNorm, BatchNorm, DeepNorm, and a norm of rows with known statistics: in float, rounded once.
#include "composite.h"
#include "reduce.h"
#include <cmath>
#include <cstring>

#include "akgen/vector_math.h"

namespace akgen::twin {
namespace {

uint64_t block(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

struct Moments {
    float mean, variance;
};
Moments moments(std::vector<float> &values)
{
    const auto sum = [&] {
        return span_sum(DType::F32, reinterpret_cast<const uint8_t *>(values.data()), values.size());
    };
    const float mean = sum() / static_cast<float>(values.size());
    for (float &v : values) {
        v = (v - mean) * (v - mean);
    }
    return {mean, sum() / static_cast<float>(values.size())};
}
float scaled(DType type, float x, const Moments &m, float epsilon, const View &gamma, const View &beta, uint64_t at)
{
    const float scale = 1.0f / std::sqrt(m.variance + epsilon);
    return (x - m.mean) * scale * load_real(type, gamma.data, at) + load_real(type, beta.data, at);
}

} // namespace

void group_norm(const GroupNormCall &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::GroupNorm.name;
    const uint32_t bytes = dtype_bytes(c.type);
    const uint64_t rows = static_cast<uint64_t>(c.n) * c.groups * c.channels;
    const uint64_t n = rows * c.length;
    const uint64_t stride = static_cast<uint64_t>(c.stride) * bytes;
    if (c.length > c.stride) {
        trap("VECTOR_COUNT", api, pc, "GroupNorm: %u elements of a channel exceed the %u that are stored.", c.length,
             c.stride);
    }
    require_whole_blocks(api, pc, "a channel", c.stride, bytes);
    if (n == 0) {
        return;
    }
    Composite call(apis::GroupNorm, pc, DType::F32, n);
    const auto row_bytes = static_cast<uint64_t>(c.length) * bytes;
    const auto all_rows = static_cast<uint32_t>(rows);
    call.matrix("inputX", c.src, row_bytes, all_rows, stride, false);
    call.span("gamma", c.gamma, static_cast<uint64_t>(c.groups) * c.channels * bytes, false);
    call.span("beta", c.beta, static_cast<uint64_t>(c.groups) * c.channels * bytes, false);
    call.matrix("output", c.dst, row_bytes, all_rows, stride, true);
    call.span("outputMean", c.mean, static_cast<uint64_t>(c.n) * c.groups * bytes, true);
    call.span("outputVariance", c.variance, static_cast<uint64_t>(c.n) * c.groups * bytes, true);
    call.temporary(c.work, static_cast<uint64_t>(c.channels) * c.stride * sizeof(float));
    call.record();
    std::vector<float> values(static_cast<size_t>(c.channels) * c.length);
    for (uint64_t g = 0; g < static_cast<uint64_t>(c.n) * c.groups; ++g) {
        const auto at = [&](uint32_t channel, uint32_t i) { return (g * c.channels + channel) * c.stride + i; };
        for (uint32_t k = 0; k < c.channels; ++k) {
            for (uint32_t i = 0; i < c.length; ++i) {
                values[static_cast<size_t>(k) * c.length + i] = load_real(c.type, c.src.data, at(k, i));
            }
        }
        const Moments m = moments(values);
        for (uint32_t k = 0; k < c.channels; ++k) {
            for (uint32_t i = 0; i < c.length; ++i) {
                const float x = load_real(c.type, c.src.data, at(k, i));
                const uint64_t channel = g % c.groups * c.channels + k;
                store_real(c.type, c.dst.data, at(k, i), scaled(c.type, x, m, c.epsilon, c.gamma, c.beta, channel));
            }
        }
        store_real(c.type, c.mean.data, g, m.mean);
        store_real(c.type, c.variance.data, g, m.variance);
    }
}

void batch_norm(const BatchNormCall &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::BatchNorm.name;
    const uint32_t bytes = dtype_bytes(c.type);
    const uint64_t n = static_cast<uint64_t>(c.rows) * c.columns;
    require_whole_blocks(api, pc, "a batch", c.columns, bytes);
    if (n == 0) {
        return;
    }
    Composite call(apis::BatchNorm, pc, DType::F32, n);
    call.span("inputX", c.src, n * bytes, false);
    call.span("gamm", c.gamma, static_cast<uint64_t>(c.rows) * bytes, false);
    call.span("beta", c.beta, static_cast<uint64_t>(c.rows) * bytes, false);
    call.span("output", c.dst, n * bytes, true);
    call.span("outputMean", c.mean, static_cast<uint64_t>(c.columns) * bytes, true);
    call.span("outputVariance", c.variance, static_cast<uint64_t>(c.columns) * bytes, true);
    call.temporary(c.work, static_cast<uint64_t>(c.rows) * 32);
    call.record();
    std::vector<float> values(c.rows);
    for (uint32_t j = 0; j < c.columns; ++j) {
        const auto at = [&](uint32_t row) { return static_cast<uint64_t>(row) * c.columns + j; };
        for (uint32_t r = 0; r < c.rows; ++r) {
            values[r] = load_real(c.type, c.src.data, at(r));
        }
        const Moments m = moments(values);
        for (uint32_t r = 0; r < c.rows; ++r) {
            const float x = load_real(c.type, c.src.data, at(r));
            store_real(c.type, c.dst.data, at(r), scaled(c.type, x, m, c.epsilon, c.gamma, c.beta, r));
        }
        store_real(c.type, c.mean.data, j, m.mean);
        store_real(c.type, c.variance.data, j, m.variance);
    }
}

void deep_norm(const NormCall &c, View gx, float alpha)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::DeepNorm.name;
    const uint32_t bytes = dtype_bytes(c.type);
    const uint64_t stride = static_cast<uint64_t>(c.stride) * bytes;
    const uint64_t row = static_cast<uint64_t>(c.length) * bytes;
    if (c.length > c.stride || c.stride > 2040) {
        trap("VECTOR_COUNT", api, pc, "DeepNorm: rows of %u elements, %u as stored; at most 2040 are possible.",
             c.length, c.stride);
    }
    require_whole_blocks(api, pc, "a row", c.stride, dtype_bytes(c.type));
    if (c.rows == 0 || c.length == 0) {
        return;
    }
    Composite call(apis::DeepNorm, pc, DType::F32, static_cast<uint64_t>(c.rows) * c.length);
    call.matrix("srcLocal", c.src, row, c.rows, stride, false);
    call.matrix("gxLocal", gx, row, c.rows, stride, false);
    call.span("gammaLocal", c.gamma, row, false);
    call.span("betaLocal", c.beta, row, false);
    call.matrix("dstLocal", c.dst, row, c.rows, stride, true);
    call.span("meanLocal", c.mean, static_cast<uint64_t>(c.rows) * bytes, true);
    call.span("rstdLocal", c.variance, static_cast<uint64_t>(c.rows) * bytes, true);
    call.no_sharing();
    call.temporary(c.work, block(c.length * sizeof(float)));
    call.record();
    std::vector<float> values(c.length), kept(c.length);
    for (uint32_t r = 0; r < c.rows; ++r) {
        const uint64_t at = static_cast<uint64_t>(r) * c.stride;
        for (uint32_t i = 0; i < c.length; ++i) {
            kept[i] = alpha * load_real(c.type, c.src.data, at + i) + load_real(c.type, gx.data, at + i);
        }
        values = kept;
        const Moments m = moments(values);
        for (uint32_t i = 0; i < c.length; ++i) {
            store_real(c.type, c.dst.data, at + i, scaled(c.type, kept[i], m, c.epsilon, c.gamma, c.beta, i));
        }
        store_real(c.type, c.mean.data, r, m.mean);
        store_real(c.type, c.variance.data, r, m.variance);
    }
}

void normalise_known(const NormCall &c, View reciprocal)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::Normalize.name;
    const uint32_t bytes = dtype_bytes(c.type);
    const uint64_t stride = static_cast<uint64_t>(c.stride) * bytes;
    const uint64_t row = static_cast<uint64_t>(c.length) * bytes;
    if (c.length > c.stride) {
        trap("VECTOR_COUNT", api, pc, "%s: rows of %u elements exceed the %u that are stored.", api, c.length,
             c.stride);
    }
    require_whole_blocks(api, pc, "a row", c.stride, dtype_bytes(c.type));
    if (c.rows == 0 || c.length == 0) {
        return;
    }
    Composite call(apis::Normalize, pc, DType::F32, static_cast<uint64_t>(c.rows) * c.length);
    call.matrix("inputX", c.src, row, c.rows, stride, false);
    call.span("inputMean", c.mean, c.rows * sizeof(float), false);
    call.span("inputVariance", c.variance, c.rows * sizeof(float), false);
    call.span("gamma", c.gamma, static_cast<uint64_t>(c.length) * dtype_bytes(c.factor), false);
    call.span("beta", c.beta, static_cast<uint64_t>(c.length) * dtype_bytes(c.factor), false);
    call.matrix("output", c.dst, row, c.rows, stride, true);
    call.span("outputRstd", reciprocal, c.rows * sizeof(float), true);
    call.temporary(c.work, 32);
    call.record();
    const float *mean = reinterpret_cast<const float *>(c.mean.data);
    const float *variance = reinterpret_cast<const float *>(c.variance.data);
    for (uint32_t r = 0; r < c.rows; ++r) {
        const float scale = 1.0f / std::sqrt(variance[r] + c.epsilon);
        for (uint32_t i = 0; i < c.length; ++i) {
            const uint64_t at = static_cast<uint64_t>(r) * c.stride + i;
            const float gamma = c.gamma.data ? load_real(c.factor, c.gamma.data, i) : 1.0f;
            const float beta = c.beta.data ? load_real(c.factor, c.beta.data, i) : 0.0f;
            const float x = load_real(c.type, c.src.data, at) - mean[r];
            store_real(c.type, c.dst.data, at, x * scale * gamma + beta);
        }
        reinterpret_cast<float *>(reciprocal.data)[r] = scale;
    }
}

} // namespace akgen::twin
