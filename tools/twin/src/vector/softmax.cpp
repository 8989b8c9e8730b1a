// The SoftMax family. Everything is computed in float; half is widened before and rounded once after.
#include "loops.h"

#include "composite.h"
#include "facts.h"
#include "fast_math.h"
#include "record.h"
#include "reduce.h"
#include <vector>

#include "akgen/vector_math.h"

namespace akgen::twin {
namespace {

class SoftmaxRows {
public:
    SoftmaxRows(const SoftmaxCall &c, const char *api, const void *pc)
        : c_(c), api_(api), pc_(pc), bytes_(dtype_bytes(c.type))
    {
    }

    void record(const char *const *steps)
    {
        Instr instr =
            vector_instr(api_, steps[0], pc_, DType::F32, static_cast<uint64_t>(c_.valid_rows) * c_.valid_columns);
        matrix(instr, c_.src, "src", false);
        if (c_.second.data) {
            matrix(instr, c_.second, "gradTensor", false);
        }
        if (c_.kind == SoftmaxKind::SoftmaxGradFront) {
            statistic(instr, c_.dst, "dst", true);
        } else {
            matrix(instr, c_.dst, "dst", true);
        }
        issue(instr);
        Instr side = vector_instr(api_, steps[1], pc_, DType::F32, instr.elements);
        const bool fresh = c_.kind != SoftmaxKind::SimpleSoftMax;
        statistic(side, c_.sum, "sum", fresh);
        statistic(side, c_.max, "max", fresh);
        statistic(side, c_.exp_max, "expMax", true);
        if (c_.update) {
            statistic(side, c_.in_sum, "inSum", false);
            statistic(side, c_.in_max, "inMax", false);
            statistic(side, c_.row_max, "outReduceMax", true);
        }
        require_temporary(api_, pc_, c_.work, 32);
        warn_of_little(api_, pc_, c_.work, row_scratch_bytes(c_.columns)); // whatever the call, one row as float
        add_span(side, c_.work, c_.work.data ? 32 : 0, true);
        issue(side);
        for (uint32_t i = 2; steps[i]; ++i) {
            Instr step = vector_instr(api_, steps[i], pc_, DType::F32, instr.elements);
            issue(step);
        }
    }

    void load(const View &v, uint32_t row, float *out) const
    {
        if (!c_.fractal) {
            const uint8_t *at = v.data + static_cast<uint64_t>(row) * c_.columns * bytes_;
            if (c_.type == DType::F16) {
                widen_half(reinterpret_cast<const uint16_t *>(at), out, c_.valid_columns);
            } else {
                std::memcpy(out, at, c_.valid_columns * sizeof(float));
            }
            return;
        }
        for (uint32_t i = 0; i < c_.valid_columns; ++i) {
            out[i] = load_real(c_.type, v.data, place(row, i));
        }
    }
    void store(uint32_t row, const float *in) const
    {
        if (!c_.fractal) {
            uint8_t *at = c_.dst.data + static_cast<uint64_t>(row) * c_.columns * bytes_;
            if (c_.type == DType::F16) {
                narrow_half(in, reinterpret_cast<uint16_t *>(at), c_.valid_columns);
            } else {
                std::memcpy(at, in, c_.valid_columns * sizeof(float));
            }
            return;
        }
        for (uint32_t i = 0; i < c_.valid_columns; ++i) {
            store_real(c_.type, c_.dst.data, place(row, i), in[i]);
        }
    }
    float read(const View &v, DType type, uint32_t row) const
    {
        return load_real(type, v.data, static_cast<uint64_t>(row) * lanes(type));
    }
    void fill(const View &v, DType type, uint32_t row, float value) const
    {
        const uint32_t n = lanes(type);
        for (uint32_t i = 0; v.data && i < n; ++i) {
            store_real(type, v.data, static_cast<uint64_t>(row) * n + i, value);
        }
    }

private:
    uint32_t lanes(DType type) const { return c_.narrow ? 1 : 32 / dtype_bytes(type); }
    uint64_t place(uint32_t row, uint32_t column) const
    {
        return static_cast<uint64_t>(column / 16) * c_.rows * 16 + static_cast<uint64_t>(row) * 16 + column % 16;
    }
    void matrix(Instr &instr, const View &v, const char *name, bool write) const
    {
        require_operand(api_, pc_, name, v);
        if (c_.fractal) {
            add_span(instr, v, static_cast<uint64_t>(c_.rows) * c_.columns * bytes_, write);
            return;
        }
        instr.access[instr.n_access++] = Access{v.data,        static_cast<uint64_t>(c_.valid_columns) * bytes_,
                                                c_.valid_rows, static_cast<int64_t>(c_.columns) * bytes_,
                                                write,         v.size_bytes};
    }
    void statistic(Instr &instr, const View &v, const char *name, bool write) const
    {
        if (v.data) {
            require_operand(api_, pc_, name, v);
        }
        add_span(instr, v, static_cast<uint64_t>(c_.valid_rows) * (c_.narrow ? dtype_bytes(c_.statistic) : 32), write);
    }

    const SoftmaxCall &c_;
    const char *api_;
    const void *pc_;
    uint32_t bytes_;
};

float largest(const float *x, uint32_t n)
{
    return span_extreme(Reduce::MAX, DType::F32, reinterpret_cast<const uint8_t *>(x), n).value;
}
float total(const float *x, uint32_t n) { return span_sum(DType::F32, reinterpret_cast<const uint8_t *>(x), n); }
void exp_less(float *x, uint32_t n, float max)
{
#pragma GCC ivdep
    for (uint32_t i = 0; i < n; ++i) {
        x[i] = fast_exp(x[i] - max);
    }
}
void divide(float *x, uint32_t n, float by)
{
    for (uint32_t i = 0; i < n; ++i) {
        x[i] /= by;
    }
}

void forward(const SoftmaxCall &c, const SoftmaxRows &rows, uint32_t r, float *x)
{
    const uint32_t n = c.valid_columns;
    rows.load(c.src, r, x);
    if (c.kind == SoftmaxKind::SimpleSoftMax) {
        exp_less(x, n, rows.read(c.max, c.statistic, r));
        divide(x, n, rows.read(c.sum, c.statistic, r));
        rows.store(r, x);
        return;
    }
    const float before_max = c.update ? rows.read(c.in_max, c.statistic, r) : 0.0f;
    const float before_sum = c.update ? rows.read(c.in_sum, c.statistic, r) : 0.0f;
    float max = largest(x, n);
    if (c.update) {
        rows.fill(c.row_max, c.statistic, r, max);
    }
    max = c.update && beats(Reduce::MAX, before_max, max) ? before_max : max;
    exp_less(x, n, max);
    float sum = total(x, n);
    float carried = c.update ? fast_exp(before_max - max) : 1.0f;
    if (c.update) {
        sum += carried * before_sum;
    }
    if (c.kind == SoftmaxKind::SoftmaxFlash && c.update) {
        carried = carried * before_sum / sum;
    }
    rows.fill(c.max, c.statistic, r, max);
    rows.fill(c.sum, c.statistic, r, sum);
    if (c.update || c.kind == SoftmaxKind::SoftmaxFlash) {
        rows.fill(c.exp_max, c.type, r, carried);
    }
    if (c.kind != SoftmaxKind::SoftmaxFlashV2) {
        divide(x, n, sum);
    }
    if (c.kind == SoftmaxKind::LogSoftMax) { // the API takes the logarithm to base 10
        for (uint32_t i = 0; i < n; ++i) {
            x[i] = fast_ln(x[i]) * 0.43429448190325183f;
        }
    }
    rows.store(r, x);
}

void backward(const SoftmaxCall &c, const SoftmaxRows &rows, uint32_t r, float *x, float *g, float *product)
{
    const uint32_t n = c.valid_columns;
    rows.load(c.src, r, x);
    rows.load(c.second, r, g);
    for (uint32_t i = 0; i < n; ++i) {
        product[i] = g[i] * x[i];
    }
    const float sum = total(product, n);
    if (c.kind == SoftmaxKind::SoftmaxGradFront) {
        rows.fill(c.dst, c.type, r, sum);
        return;
    }
    for (uint32_t i = 0; i < n; ++i) {
        x[i] = (g[i] - sum) * x[i];
    }
    rows.store(r, x);
}

} // namespace

void softmax(const SoftmaxCall &call)
{
    const void *pc = __builtin_return_address(0);
    const ApiFacts &f = softmax_facts(call.kind);
    if (call.valid_columns > call.columns || call.valid_rows > call.rows) {
        trap("VECTOR_COUNT", f.name, pc, "%s: %u x %u original elements exceed the %u x %u of the source.", f.name,
             call.valid_rows, call.valid_columns, call.rows, call.columns);
    }
    if (!call.fractal) {
        require_whole_blocks(f.name, pc, "a row", call.columns, dtype_bytes(call.type));
    }
    if (call.valid_rows == 0 || call.valid_columns == 0) {
        return;
    }
    SoftmaxRows rows(call, f.name, pc);
    rows.record(f.steps);
    static thread_local std::vector<float> room;
    room.resize(3 * static_cast<size_t>(call.valid_columns));
    float *x = room.data();
    for (uint32_t r = 0; r < call.valid_rows; ++r) {
        if (call.kind == SoftmaxKind::SoftmaxGrad || call.kind == SoftmaxKind::SoftmaxGradFront) {
            backward(call, rows, r, x, x + call.valid_columns, x + 2 * static_cast<size_t>(call.valid_columns));
        } else {
            forward(call, rows, r, x);
        }
    }
    mask_state() = MaskState{false, ~uint64_t{0}, ~uint64_t{0}};
}

bool adjust_softmax(DType type, DType statistic, View result, View max, uint32_t from, uint64_t to, uint32_t rows,
                    uint32_t columns, bool fractal)
{
    const void *pc = __builtin_return_address(0);
    constexpr const ApiFacts &facts = apis::AdjustSoftMaxRes;
    require_operand(facts.name, pc, "softMaxRes", result);
    require_operand(facts.name, pc, "maxTensor", max);
    const uint32_t bytes = dtype_bytes(type);
    const uint32_t width = dtype_bytes(statistic);
    Instr instr = vector_instr(facts.name, facts.steps[0], pc, statistic, rows);
    add_span(instr, max, static_cast<uint64_t>(rows) * 32, false);
    issue(instr);
    bool any = false;
    for (uint32_t r = 0; r < rows; ++r) {
        uint32_t word = 0;
        std::memcpy(&word, max.data + static_cast<uint64_t>(r) * 32, width);
        if (word != from) {
            continue;
        }
        any = true;
        Instr fill = vector_instr(facts.name, facts.steps[1], pc, type, columns);
        if (fractal) {
            instr.n_access = 0;
            add_span(fill, result, static_cast<uint64_t>(rows) * columns * bytes, true);
        } else {
            add_span(fill, part(result, static_cast<uint64_t>(r) * columns * bytes),
                     static_cast<uint64_t>(columns) * bytes, true);
        }
        issue(fill);
        for (uint32_t i = 0; i < columns; ++i) {
            const uint64_t at = fractal
                                    ? static_cast<uint64_t>(i / 16) * rows * 16 + static_cast<uint64_t>(r) * 16 + i % 16
                                    : static_cast<uint64_t>(r) * columns + i;
            std::memcpy(result.data + at * bytes, &to, bytes);
        }
    }
    return any;
}

} // namespace akgen::twin
