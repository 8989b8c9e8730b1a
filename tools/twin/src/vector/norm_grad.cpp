// LayerNorm's gradient: of its input, and of gamma and beta.
#include "composite.h"
#include "reduce.h"
#include <cmath>

#include "akgen/vector_math.h"

namespace akgen::twin {
void norm_grad(const NormGradCall &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::LayerNormGrad.name;
    const uint32_t bytes = dtype_bytes(c.type);
    const uint64_t stride = static_cast<uint64_t>(c.stride) * bytes;
    const uint64_t row = static_cast<uint64_t>(c.length) * bytes;
    if (c.length > c.stride || stride % 32 != 0) {
        trap("VECTOR_COUNT", api, pc, "LayerNormGrad: rows of %u elements, %u apart, are not whole blocks of 32 bytes.",
             c.length, c.stride);
    }
    if (c.rows == 0 || c.length == 0) {
        return;
    }
    Composite call(apis::LayerNormGrad, pc, DType::F32, static_cast<uint64_t>(c.rows) * c.length);
    call.matrix("inputDy", c.dy, row, c.rows, stride, false);
    call.matrix("inputX", c.src, row, c.rows, stride, false);
    call.span("inputVariance", c.variance, static_cast<uint64_t>(c.rows) * bytes, false);
    call.span("inputMean", c.mean, static_cast<uint64_t>(c.rows) * bytes, false);
    call.span("inputGamma", c.gamma, row, false);
    call.matrix("outputPdX", c.dst, row, c.rows, stride, true);
    call.matrix("resForGamma", c.for_gamma, row, c.rows, stride, true);
    call.temporary(c.work, (c.length * sizeof(float) + 31) / 32 * 32);
    call.record();
    const float length = static_cast<float>(c.length);
    std::vector<float> scaled(c.length), away(c.length), parts(c.length);
    for (uint32_t r = 0; r < c.rows; ++r) {
        const uint64_t at = static_cast<uint64_t>(r) * c.stride;
        const float mean = load_real(c.type, c.mean.data, r);
        const float rstd = 1.0f / std::sqrt(load_real(c.type, c.variance.data, r) + c.epsilon);
        for (uint32_t i = 0; i < c.length; ++i) {
            scaled[i] = load_real(c.type, c.dy.data, at + i) * load_real(c.type, c.gamma.data, i);
            away[i] = load_real(c.type, c.src.data, at + i) - mean;
            parts[i] = scaled[i] * away[i] * (-0.5f * rstd * rstd * rstd);
        }
        const float of_variance = sum_of(parts);
        const float of_mean = -rstd * sum_of(scaled) + of_variance * (1.0f / length) * -2.0f * sum_of(away);
        for (uint32_t i = 0; i < c.length; ++i) {
            const float dx = scaled[i] * rstd + of_variance * (2.0f / length) * away[i] + of_mean * (1.0f / length);
            store_real(c.type, c.dst.data, at + i, dx);
            store_real(c.type, c.for_gamma.data, at + i, away[i] * rstd);
        }
    }
}

void norm_grad_factors(DType type, View dst_gamma, View dst_beta, View for_gamma, View dy, View work, uint32_t rows,
                       uint32_t length, uint32_t stride)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::LayerNormGradBeta.name;
    const uint32_t bytes = dtype_bytes(type);
    const uint64_t row = static_cast<uint64_t>(length) * bytes;
    const uint64_t apart = static_cast<uint64_t>(stride) * bytes;
    if (length > stride || apart % 32 != 0) {
        trap("VECTOR_COUNT", api, pc,
             "LayerNormGradBeta: rows of %u elements, %u apart, are not whole blocks of 32 bytes.", length, stride);
    }
    Composite call(apis::LayerNormGradBeta, pc, DType::F32, static_cast<uint64_t>(rows) * length);
    call.matrix("resForGamma", for_gamma, row, rows, apart, false);
    call.matrix("inputDy", dy, row, rows, apart, false);
    call.span("outputPdGamma", dst_gamma, row, true);
    call.span("outputPdBeta", dst_beta, row, true);
    call.temporary(work, 32);
    call.record();
    for (uint32_t i = 0; i < length; ++i) {
        float gamma = 0.0f, beta = 0.0f;
        for (uint32_t r = 0; r < rows; ++r) {
            const uint64_t at = static_cast<uint64_t>(r) * stride + i;
            const float grad = load_real(type, dy.data, at);
            gamma += grad * load_real(type, for_gamma.data, at);
            beta += grad;
        }
        store_real(type, dst_gamma.data, i, gamma);
        store_real(type, dst_beta.data, i, beta);
    }
}

} // namespace akgen::twin
