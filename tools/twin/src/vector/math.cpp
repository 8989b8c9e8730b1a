// Entry points of the mathematical and activation APIs.
#include "loops.h"

#include "composite.h"
#include "facts.h"
#include "record.h"
#include <algorithm>

namespace akgen::twin {
namespace {

// The first step carries the operands; the others only take time, since the API orders its own steps.
void issue_steps(const Instr &first, const char *const *steps)
{
    for (uint32_t i = 0; steps[i]; ++i) {
        Instr step = first;
        step.op = steps[i];
        step.n_access = i == 0 ? first.n_access : 0;
        issue(step);
    }
}

constexpr const char *math_operands[] = {"dst", "src", "src1"};

struct Call {
    const char *api;
    const void *pc;
    DType type;
    View dst, src0, src1, work;
    uint32_t sources;
    uint32_t live; // vectors of float that the API keeps at once; 0: it needs no memory of its own
    Scratch held[2];
    bool may_share = false; // by its reference, the destination may be a source
};

// Check, record and leave the mask register as a count form does. False: nothing to do.
bool begin(Call &c, int64_t count, const char *const *steps)
{
    const View views[] = {c.dst, c.src0, c.src1};
    for (uint32_t i = 0; i <= c.sources; ++i) {
        require_operand(c.api, c.pc, math_operands[i], views[i]);
    }
    const uint32_t bytes = dtype_bytes(c.type);
    const uint32_t lanes = 256 / (bytes < 4 ? 4 : bytes); // worked on in float
    const Walk w = walk_count(c.api, c.pc, lanes, count);
    if (w.active == 0) {
        return false;
    }
    const bool widened = c.type == DType::F16 || c.type == DType::BF16;
    // A block of the source as floats has to fit, two blocks for 16 bits, of every vector that is alive.
    const uint32_t least = c.live * (widened ? 64 : 32);
    if (c.work.data) {
        require_operand(c.api, c.pc, "sharedTmpBuffer", c.work);
    }
    if (least) {
        require_temporary(c.api, c.pc, c.work, least);
        warn_of_little(c.api, c.pc, c.work, uint64_t{c.live} * 256);
    }
    Instr instr = vector_instr(c.api, steps[0], c.pc, widened ? DType::F32 : c.type, w.active);
    const uint64_t span = w.active * bytes;
    for (uint32_t i = 0; i <= c.sources; ++i) {
        require_apart(c.api, c.pc, c.work, c.work.data ? least : 0, views[i], span);
    }
    add_span(instr, c.src0, span, false);
    add_span(instr, c.sources > 1 ? c.src1 : View{}, span, false);
    add_span(instr, c.work, c.work.data ? least : 0, true);
    add_span(instr, c.dst, span, true);
    if (widened) {
        Instr widen = instr;
        widen.op = c.type == DType::F16 ? "Cast half->float" : "Cast bfloat16_t->float";
        issue(widen);
        instr.n_access = 0;
        issue_steps(instr, steps);
        Instr narrow = instr;
        narrow.op = c.type == DType::F16 ? "Cast float->half" : "Cast float->bfloat16_t";
        issue(narrow);
    } else {
        issue_steps(instr, steps);
    }
    // A first step copies the source in most of them, so that a destination on it does no harm.
    View *const sources[] = {&c.src0, &c.src1};
    for (uint32_t i = 0; i < c.sources; ++i) {
        View &v = *sources[i];
        if (v.data >= c.dst.data + span || c.dst.data >= v.data + span) {
            continue;
        }
        if (!c.may_share) {
            warn("PARTIAL_OVERLAP", c.api, c.pc, "%s: dst and %s share memory, which its reference rules out.", c.api,
                 math_operands[i + 1]);
        }
        if (v.data != c.dst.data) {
            c.held[i].copy(v.data, span);
            v.data = c.held[i].take();
        }
    }
    return true;
}

// Load a chunk of any of the types as float.
const float *chunk_of(DType type, const View &v, size_t at, size_t n, float *room)
{
    if (type == DType::F16) {
        widen_half(reinterpret_cast<const uint16_t *>(v.data) + at, room, n);
        return room;
    }
    if (type == DType::BF16) {
        for (size_t i = 0; i < n; ++i) {
            room[i] = widen_bfloat(reinterpret_cast<const uint16_t *>(v.data)[at + i]);
        }
        return room;
    }
    return reinterpret_cast<const float *>(v.data) + at;
}
template <typename F> void over_chunks(const Call &c, int64_t count, F compute)
{
    alignas(64) float x[chunk_elements], y[chunk_elements], out[chunk_elements];
    const size_t n = static_cast<size_t>(count);
    for (size_t at = 0; at < n; at += chunk_elements) {
        const size_t m = n - at < chunk_elements ? n - at : chunk_elements;
        const float *a = chunk_of(c.type, c.src0, at, m, x);
        const float *b = c.sources > 1 ? chunk_of(c.type, c.src1, at, m, y) : nullptr;
        compute(out, a, b, m);
        if (c.type == DType::F16) {
            narrow_half(out, reinterpret_cast<uint16_t *>(c.dst.data) + at, m);
        } else if (c.type == DType::BF16) {
            for (size_t i = 0; i < m; ++i) {
                reinterpret_cast<uint16_t *>(c.dst.data)[at + i] = narrow_bfloat(out[i]);
            }
        } else {
            std::memcpy(c.dst.data + at * sizeof(float), out, m * sizeof(float));
        }
    }
}

// Without a form that takes a temporary buffer: it works in its destination.
bool in_place(MathOp op)
{
    return op == MathOp::Silu || op == MathOp::Swish || op == MathOp::Log || op == MathOp::Log10;
}

// The page of Gelu and its kin allows it; pages of the gated ones say nothing.
bool may_share(MathOp op)
{
    return op == MathOp::Gelu || op == MathOp::FasterGelu || op == MathOp::FasterGeluV2 || op == MathOp::ReGlu ||
           op == MathOp::GeGLU || op == MathOp::SwiGLU;
}

int32_t integer_power(int32_t base, int32_t exponent)
{
    if (exponent < 0) { // only units have an inverse
        return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
    uint32_t result = 1, factor = static_cast<uint32_t>(base); // wraps
    for (uint32_t left = static_cast<uint32_t>(exponent); left; left >>= 1) {
        result *= (left & 1) ? factor : 1u;
        factor *= factor;
    }
    return static_cast<int32_t>(result);
}

} // namespace

void math_count(MathOp op, DType type, View dst, View src0, View src1, View work, float scalar, int64_t count)
{
    const MathFacts &f = math_facts(op);
    Call c{f.api.name, __builtin_return_address(0), type, dst,          src0, src1, work,
           f.sources,  in_place(op) ? 0u : f.live,  {},   may_share(op)};
    // These write 1 + exp(-s * x) over a source that is the destination, and divide it by itself: 1 on the chip.
    const bool divides_itself = (op == MathOp::Silu || op == MathOp::Swish) && dst.data == src0.data;
    if (begin(c, count, f.api.steps)) {
        if (divides_itself) {
            over_chunks(c, count,
                        [](float *out, const float *, const float *, size_t n) { std::fill_n(out, n, 1.0f); });
            return;
        }
        over_chunks(c, count,
                    [&](float *out, const float *a, const float *b, size_t n) { math_loop(op, out, a, b, scalar, n); });
    }
}

void power_scalar(DType type, View dst, View src, View work, uint64_t scalar, bool first, int64_t count)
{
    const MathFacts &f = math_facts(MathOp::Power);
    Call c{f.api.name, __builtin_return_address(0), type, dst, src, {}, work, 1, f.live, {}};
    if (!begin(c, count, f.api.steps)) {
        return;
    }
    if (type == DType::I32) {
        const int32_t s = scalar_of<int32_t>(scalar);
        int32_t *out = reinterpret_cast<int32_t *>(dst.data);
        const int32_t *x = reinterpret_cast<const int32_t *>(c.src0.data);
        for (int64_t i = 0; i < count; ++i) {
            out[i] = integer_power(first ? s : x[i], first ? x[i] : s);
        }
        return;
    }
    float filled[chunk_elements];
    const float s = type == DType::F16 ? half_scalar(scalar) : scalar_of<float>(scalar);
    for (float &v : filled) {
        v = s;
    }
    over_chunks(c, count, [&](float *out, const float *a, const float *, size_t n) {
        math_loop(MathOp::Power, out, first ? filled : a, first ? a : filled, 0.0f, n);
    });
}

void power_integer(View dst, View src0, View src1, View work, int64_t count)
{
    const MathFacts &f = math_facts(MathOp::Power);
    Call c{f.api.name, __builtin_return_address(0), DType::I32, dst, src0, src1, work, 2, f.live, {}};
    if (begin(c, count, f.api.steps)) {
        for (int64_t i = 0; i < count; ++i) {
            reinterpret_cast<int32_t *>(dst.data)[i] = integer_power(reinterpret_cast<const int32_t *>(c.src0.data)[i],
                                                                     reinterpret_cast<const int32_t *>(c.src1.data)[i]);
        }
    }
}

void xor_count(DType type, View dst, View src0, View src1, View work, int64_t count)
{
    Call c{apis::Xor.name, __builtin_return_address(0), type, dst, src0, src1, work, 2, 1, {}};
    if (begin(c, count, apis::Xor.steps)) {
        for (int64_t i = 0; i < count; ++i) {
            reinterpret_cast<uint16_t *>(dst.data)[i] =
                static_cast<uint16_t>(reinterpret_cast<const uint16_t *>(c.src0.data)[i] ^
                                      reinterpret_cast<const uint16_t *>(c.src1.data)[i]);
        }
    }
}

namespace {

// Copy the last `row` bytes of CumSum's destination of `whole` bytes beside it.
void copy_last_row(const Call &c, View last_row, uint64_t row, uint64_t whole)
{
    require_operand(c.api, c.pc, "lastRowTensor", last_row);
    const View from = part(c.dst, whole - row);
    Instr copy = vector_instr(c.api, "Copy", c.pc, c.type, row / dtype_bytes(c.type));
    add_span(copy, from, row, false);
    add_span(copy, last_row, row, true);
    issue(copy);
    std::memcpy(last_row.data, from.data, row);
}

} // namespace

void cumulative_sum(DType type, View dst, View last_row, View src, View work, uint32_t outer, uint32_t inner,
                    bool last_axis)
{
    Call c{apis::CumSum.name, __builtin_return_address(0), type, dst, src, {}, work, 1, 0, {}, true};
    const uint32_t bytes = dtype_bytes(type);
    require_whole_blocks(c.api, c.pc, "the inner axis", inner, bytes);
    // Along the last axis sixteen rows are turned round, added up, and turned back; half adds up as float.
    const uint64_t row = (uint64_t{inner} * sizeof(float) + 31) / 32 * 32;
    require_temporary(c.api, c.pc, work, last_axis ? 2 * 16 * row : type == DType::F16 ? 2 * row : 32);
    if (!begin(c, static_cast<int64_t>(outer) * inner, apis::CumSum.steps)) {
        return;
    }
    const auto load = [&](uint64_t i) {
        return type == DType::F16 ? widen_half(reinterpret_cast<const uint16_t *>(c.src0.data)[i])
                                  : reinterpret_cast<const float *>(c.src0.data)[i];
    };
    const auto store = [&](uint8_t *to, uint64_t i, float v) {
        if (type == DType::F16) {
            reinterpret_cast<uint16_t *>(to)[i] = narrow_half(v);
        } else {
            reinterpret_cast<float *>(to)[i] = v;
        }
    };
    const uint32_t runs = last_axis ? outer : inner;
    const uint32_t length = last_axis ? inner : outer;
    // As documented: row after row is added to the one before; columns are made rows first, and columns again.
    const uint64_t all = static_cast<uint64_t>(outer) * inner;
    for (int i = 0; last_axis && i < 2; ++i) {
        issue(vector_instr(c.api, "TransDataTo5HD", c.pc, DType::F32, all));
    }
    for (uint32_t i = 1; i < length; ++i) {
        issue(vector_instr(c.api, "Add", c.pc, DType::F32, runs));
    }
    for (uint32_t r = 0; r < runs; ++r) { // half sums in float, as the API does
        float sum = 0.0f;
        for (uint32_t i = 0; i < length; ++i) {
            const uint64_t at = last_axis ? static_cast<uint64_t>(r) * inner + i : static_cast<uint64_t>(i) * inner + r;
            sum += load(at);
            store(dst.data, at, sum);
        }
    }
    if (last_row.data) {
        copy_last_row(c, last_row, inner * uint64_t{bytes}, all * bytes);
    }
}

} // namespace akgen::twin
