// SoftmaxFlashV3: the parts of a row are moved towards the row's mean before the maximum is taken, so that half
// accumulations lose less; the statistics carry the shift on.
#include "composite.h"
#include "fast_math.h"
#include "reduce.h"

#include "akgen/vector_math.h"

namespace akgen::twin {
namespace {

constexpr uint32_t block_floats = 8; // floats of a block

float first_of(const View &v, uint32_t row) { return reinterpret_cast<const float *>(v.data)[row * block_floats]; }
void fill(const View &v, uint32_t row, float value)
{
    for (uint32_t i = 0; i < block_floats; ++i) {
        reinterpret_cast<float *>(v.data)[row * block_floats + i] = value;
    }
}

} // namespace

void shifted_softmax(const ShiftedSoftmax &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::SoftmaxFlashV3.name;
    if (c.parts != 8 || c.columns < 512 || c.columns % 64 != 0 || c.rows % 8 != 0 || (c.update && c.loop == 0)) {
        trap("VECTOR_COUNT", api, pc,
             "SoftmaxFlashV3: %u rows of %u elements in %u parts, loop %u; rows must be a multiple of 8, elements a "
             "multiple of 64 from 512 on, parts 8.",
             c.rows, c.columns, c.parts, c.loop);
    }
    const uint64_t n = static_cast<uint64_t>(c.rows) * c.columns;
    const uint64_t statistic = static_cast<uint64_t>(c.rows) * 32;
    if (n == 0) {
        return;
    }
    Composite call(apis::SoftmaxFlashV3, pc, DType::F32, n);
    call.span("srcTensor", c.src, n * 2, false);
    if (c.update) {
        call.span("inMeanTensor", c.in_mean, statistic, false);
        call.span("inExpSumTensor", c.in_sum, statistic, false);
        call.span("inMaxTensor", c.in_max, statistic, false);
        call.span("expMaxTensor", c.exp_max, statistic, true);
    }
    call.span("dstTensor", c.dst, n * 2, true);
    call.span("meanTensor", c.mean, statistic, true);
    call.span("expSumTensor", c.sum, statistic, true);
    call.span("maxTensor", c.max, statistic, true);
    call.temporary(c.work, static_cast<uint64_t>(c.columns) * sizeof(float));
    call.record();
    const float ratio = c.alpha / (1.0f - c.alpha);
    const uint32_t part = c.columns / c.parts;
    std::vector<float> x(c.columns);
    for (uint32_t r = 0; r < c.rows; ++r) {
        const uint64_t at = static_cast<uint64_t>(r) * c.columns;
        for (uint32_t i = 0; i < c.columns; ++i) {
            x[i] = load_real(DType::F16, c.src.data, at + i);
        }
        const float whole = sum_of(x.data(), c.columns) / static_cast<float>(c.columns);
        for (uint32_t p = 0; p < c.parts; ++p) {
            const float local = sum_of(x.data() + p * part, part) / static_cast<float>(part);
            for (uint32_t i = p * part; i < (p + 1) * part; ++i) {
                x[i] -= (whole - local) * ratio;
            }
        }
        const float top =
            span_extreme(Reduce::MAX, DType::F32, reinterpret_cast<const uint8_t *>(x.data()), c.columns).value;
        const float before = c.update ? first_of(c.in_mean, r) : 0.0f;
        const float loop = static_cast<float>(c.loop);
        const float mean = c.update ? (whole + before * (loop - 1.0f)) / loop : whole;
        const float now = (whole - mean) * ratio;
        const float then = (before - mean) * ratio;
        float max = now + top;
        if (c.update && beats(Reduce::MAX, then + first_of(c.in_max, r), max)) {
            max = then + first_of(c.in_max, r);
        }
        for (uint32_t i = 0; i < c.columns; ++i) {
            x[i] = fast_exp(x[i] - (max - now));
        }
        float sum = sum_of(x.data(), c.columns);
        if (c.update) {
            const float carried = fast_exp(first_of(c.in_max, r) - max + then);
            sum += carried * first_of(c.in_sum, r);
            for (uint32_t i = 0; i < 2 * block_floats; ++i) {
                store_real(DType::F16, c.exp_max.data, static_cast<uint64_t>(r) * 2 * block_floats + i, carried);
            }
        }
        for (uint32_t i = 0; i < c.columns; ++i) {
            store_real(DType::F16, c.dst.data, at + i, x[i]);
        }
        fill(c.mean, r, mean);
        fill(c.sum, r, sum);
        fill(c.max, r, max);
    }
}

} // namespace akgen::twin
