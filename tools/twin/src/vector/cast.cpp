// Entry points of Cast.
#include "facts.h"
#include "keyed.h"
#include "rounding.h"
#include "record.h"
#include "state.h"

namespace akgen::twin {
namespace {

struct RoundName {
    Round key;
    const char *name;
};
constexpr RoundName round_names[] = {
    {Round::NONE, "CAST_NONE"}, {Round::RINT, "CAST_RINT"},   {Round::FLOOR, "CAST_FLOOR"},
    {Round::CEIL, "CAST_CEIL"}, {Round::ROUND, "CAST_ROUND"}, {Round::TRUNC, "CAST_TRUNC"},
    {Round::ODD, "CAST_ODD"},
};
static_assert(one_row_each<Round>(round_names));

// Rows of the throughput table; a pair without a row of its own takes the row of the same widths.
const char *row_of(DType to, DType from)
{
    switch (static_cast<uint32_t>(from) << 8 | static_cast<uint32_t>(to)) {
#define AKGEN_ROW(F, T, Text)                                                                                          \
    case static_cast<uint32_t>(DType::F) << 8 | static_cast<uint32_t>(DType::T): return "Cast " Text;
        AKGEN_ROW(I4, F16, "int4b_t->half")
        AKGEN_ROW(U8, F16, "uint8_t->half")
        AKGEN_ROW(I8, F16, "int8_t->half")
        AKGEN_ROW(I16, F16, "int16_t->half")
        AKGEN_ROW(I16, F32, "int16_t->float")
        AKGEN_ROW(F16, I4, "half->int4b_t")
        AKGEN_ROW(F16, I8, "half->int8_t")
        AKGEN_ROW(F16, U8, "half->uint8_t")
        AKGEN_ROW(F16, I16, "half->int16_t")
        AKGEN_ROW(F16, I32, "half->int32_t")
        AKGEN_ROW(F16, F32, "half->float")
        AKGEN_ROW(BF16, I32, "bfloat16_t->int32_t")
        AKGEN_ROW(BF16, F32, "bfloat16_t->float")
        AKGEN_ROW(I32, I16, "int32_t->int16_t")
        AKGEN_ROW(I32, F16, "int32_t->half")
        AKGEN_ROW(I32, F32, "int32_t->float")
        AKGEN_ROW(I32, I64, "int32_t->int64_t")
        AKGEN_ROW(I64, I32, "int32_t->int64_t")
        AKGEN_ROW(I64, F32, "float->int64_t")
        AKGEN_ROW(F32, F16, "float->half")
        AKGEN_ROW(F32, I16, "float->int16_t")
        AKGEN_ROW(F32, BF16, "float->bfloat16_t")
        AKGEN_ROW(F32, I32, "float->int32_t")
        AKGEN_ROW(F32, F32, "float->float")
        AKGEN_ROW(F32, I64, "float->int64_t")
#undef AKGEN_ROW
    default: return "Cast";
    }
}

struct PreparedCast {
    Operand dst, src;
    Loop loop;
    uint32_t lanes;
    uint64_t scalar;
};

PreparedCast prepare(DType to, DType from, View dst, View src, uint8_t round, const void *pc, const Strides &strides)
{
    PreparedCast p{};
    p.loop = cast_loop(to, from, round);
    if (p.loop && !vector_state().saturate_casts) {
        if (const Loop cut = truncating_loop(to, from, round, p.scalar)) {
            p.loop = cut;
        }
    }
    if (!p.loop) {
        trap("CAST_MODE", "Cast", pc, "Cast from %s to %s does not take %s on Ascend910B", dtype_name(from),
             dtype_name(to),
             round < static_cast<uint8_t>(Round::COUNT) ? round_names[round].name : "this rounding mode");
    }
    if (from == DType::I32 && to == DType::F16) {
        warn_of_no_scale("Cast", pc);
    }
    require_operand("Cast", pc, "dst", dst);
    require_operand("Cast", pc, "src", src);
    p.dst = Operand{"dst", dst, dtype_bits(to), strides.block[0], strides.repeat[0], Use::WRITE};
    p.src = Operand{"src", src, dtype_bits(from), strides.block[1], strides.repeat[1], Use::READ};
    p.lanes = 256 * 8 / (p.dst.bits > p.src.bits ? p.dst.bits : p.src.bits);
    p.lanes = p.lanes > 128 ? 128 : p.lanes; // the mask has 128 bits
    return p;
}

} // namespace

void cast_count(DType to, DType from, View dst, View src, uint8_t round, int64_t count)
{
    const void *pc = __builtin_return_address(0);
    PreparedCast p = prepare(to, from, dst, src, round, pc, Strides{{1, 1, 1}, {0, 0, 0}});
    p.dst.repeat = p.lanes * p.dst.bits / 256;
    p.src.repeat = p.lanes * p.src.bits / 256;
    const Walk w = walk_count("Cast", pc, p.lanes, count);
    run_single({"Cast", row_of(to, from), pc, from, &p.dst, {&p.src, nullptr}, p.loop, p.scalar, false, to}, w);
}

void cast_repeat(DType to, DType from, View dst, View src, uint8_t round, MaskArg mask, uint32_t repeat,
                 const Strides &strides)
{
    const void *pc = __builtin_return_address(0);
    PreparedCast p = prepare(to, from, dst, src, round, pc, strides);
    require_stride("Cast", pc, p.dst);
    require_stride("Cast", pc, p.src);
    const Walk w = walk_repeat("Cast", pc, p.lanes, mask, repeat);
    p.dst.block = block_stride("Cast", pc, w, p.dst);
    run_single({"Cast", row_of(to, from), pc, from, &p.dst, {&p.src, nullptr}, p.loop, p.scalar, false, to}, w);
}

void set_deq_scale(float scale)
{
    vector_state().deq_scale = scale;
    vector_state().deq_given = true;
}

void set_saturation(bool of_casts, bool on)
{
    (of_casts ? vector_state().saturate_casts : vector_state().saturate_floats) = on;
}
bool saturation(bool of_casts) { return of_casts ? vector_state().saturate_casts : vector_state().saturate_floats; }

void warn_of_no_scale(const char *api, const void *pc)
{
    if (!vector_state().deq_given) {
        warn("CAST_MODE", api, pc, "%s multiplies by the scale that SetDeqScale gives, and nothing has given one.",
             api);
    }
}

} // namespace akgen::twin
