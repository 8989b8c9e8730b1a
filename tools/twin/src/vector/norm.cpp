// LayerNorm and RmsNorm over rows, in float.
#include "composite.h"
#include "reduce.h"
#include <cmath>
#include <cstring>
#include <vector>

#include "akgen/vector_math.h"

namespace akgen::twin {

void normalise(const NormCall &c)
{
    const void *pc = __builtin_return_address(0);
    const ApiFacts &facts = c.centred ? apis::LayerNorm : apis::RmsNorm;
    const uint32_t bytes = dtype_bytes(c.type);
    const DType statistic = c.statistic == DType::NONE ? c.type : c.statistic;
    const DType factor = c.factor == DType::NONE ? c.type : c.factor;
    const View all[] = {c.dst, c.src, c.gamma, c.beta, c.mean, c.variance};
    static constexpr const char *operand_names[] = {"dst", "src", "gamma", "beta", "outputMean", "outputVariance"};
    for (int i = 0; i < 6; ++i) {
        if (all[i].data) {
            require_operand(facts.name, pc, operand_names[i], all[i]);
        }
    }
    if (c.length > c.stride || static_cast<uint64_t>(c.stride) * bytes % 32 != 0) {
        trap("VECTOR_COUNT", facts.name, pc, "%s: rows of %u elements, %u apart, are not whole blocks of 32 bytes.",
             facts.name, c.length, c.stride);
    }
    if (c.rows == 0 || c.length == 0) {
        return;
    }
    // What is summed is a row of floats of its own.
    require_temporary(facts.name, pc, c.work, (static_cast<uint64_t>(c.length) * sizeof(float) + 31) / 32 * 32);
    const uint64_t n = static_cast<uint64_t>(c.rows) * c.length;
    Instr instr = vector_instr(facts.name, facts.steps[0], pc, DType::F32, n);
    instr.access[instr.n_access++] = Access{c.src.data, static_cast<uint64_t>(c.length) * bytes,
                                            c.rows,     static_cast<int64_t>(c.stride) * bytes,
                                            false,      c.src.size_bytes};
    add_span(instr, c.gamma, static_cast<uint64_t>(c.length) * dtype_bytes(factor), false);
    add_span(instr, c.beta, static_cast<uint64_t>(c.length) * dtype_bytes(factor), false);
    instr.access[instr.n_access++] = Access{c.dst.data, static_cast<uint64_t>(c.length) * bytes,
                                            c.rows,     static_cast<int64_t>(c.stride) * bytes,
                                            true,       c.dst.size_bytes};
    add_span(instr, c.mean, static_cast<uint64_t>(c.rows) * dtype_bytes(statistic), true);
    add_span(instr, c.variance, static_cast<uint64_t>(c.rows) * dtype_bytes(statistic), true);
    issue(instr);
    for (const char *const *row = facts.steps + 1; *row; ++row) {
        Instr step = vector_instr(facts.name, *row, pc, DType::F32, n);
        issue(step);
    }
    static thread_local std::vector<float> row, square;
    row.resize(c.length);
    square.resize(c.length);
    const auto sum = [&](const std::vector<float> &v) {
        return span_sum(DType::F32, reinterpret_cast<const uint8_t *>(v.data()), c.length);
    };
    for (uint32_t r = 0; r < c.rows; ++r) {
        const uint8_t *from = c.src.data + static_cast<uint64_t>(r) * c.stride * bytes;
        uint8_t *to = c.dst.data + static_cast<uint64_t>(r) * c.stride * bytes;
        for (uint32_t i = 0; i < c.length; ++i) {
            row[i] = load_real(c.type, from, i);
        }
        const float mean = c.centred ? sum(row) / static_cast<float>(c.length) : 0.0f;
        for (uint32_t i = 0; i < c.length; ++i) {
            row[i] -= mean;
            square[i] = row[i] * row[i];
        }
        const float variance = sum(square) / static_cast<float>(c.length);
        const float scale = 1.0f / std::sqrt(variance + c.epsilon);
        for (uint32_t i = 0; i < c.length; ++i) {
            const float gamma = c.gamma.data ? load_real(factor, c.gamma.data, i) : 1.0f;
            const float beta = c.beta.data ? load_real(factor, c.beta.data, i) : 0.0f;
            store_real(c.type, to, i, row[i] * scale * gamma + beta);
        }
        if (c.mean.data) {
            store_real(statistic, c.mean.data, r, mean);
            store_real(statistic, c.variance.data, r, c.reciprocal ? scale : variance);
        }
    }
}

} // namespace akgen::twin
