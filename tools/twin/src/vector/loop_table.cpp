// Which loop an instruction runs for a dtype.
#include "elementwise.h"
#include "facts.h"
#include "state.h"

namespace akgen::twin {
namespace {

template <typename F> Loop float_half(DType t)
{
    return t == DType::F32 ? loop<float, F> : t == DType::F16 ? loop_half<F> : nullptr;
}
template <typename F> Loop arithmetic(DType t)
{
    return t == DType::I32 ? loop<int32_t, F> : t == DType::I16 ? loop<int16_t, F> : float_half<F>(t);
}
template <typename F> Loop bitwise(DType t)
{
    return t == DType::I16 || t == DType::U16 ? loop<uint16_t, F> : nullptr;
}
// Moves bits of any type by width.
template <typename F> Loop by_width(DType t)
{
    switch (dtype_bytes(t)) {
    case 1: return loop<uint8_t, F>;
    case 2: return loop<uint16_t, F>;
    case 4: return loop<uint32_t, F>;
    case 8: return loop<uint64_t, F>;
    default: return nullptr;
    }
}

struct ShiftLeft {
    static constexpr int uses = 2;
    template <typename T> static T f(T, T a, T, T s)
    {
        using U = std::make_unsigned_t<T>;
        const int bits = static_cast<int>(sizeof(T) * 8);
        return static_cast<int64_t>(s) >= bits
                   ? T{}
                   : static_cast<T>(static_cast<U>(static_cast<uint64_t>(static_cast<U>(a)) << s));
    }
};
template <bool rounds> struct ShiftRight {
    static constexpr int uses = 2;
    template <typename T> static T f(T, T a, T, T s)
    {
        const int bits = static_cast<int>(sizeof(T) * 8);
        const int64_t by = static_cast<int64_t>(s) >= bits ? bits : static_cast<int64_t>(s);
        const int64_t wide = static_cast<int64_t>(a) + (rounds && by > 0 ? int64_t{1} << (by - 1) : 0);
        return static_cast<T>(wide >> by);
    }
};
template <typename F> Loop shift(DType t)
{
    switch (t) {
    case DType::I16: return loop<int16_t, F>;
    case DType::U16: return loop<uint16_t, F>;
    case DType::I32: return loop<int32_t, F>;
    case DType::U32: return loop<uint32_t, F>;
    default: return nullptr;
    }
}

// half sources, float destination
void mul_add_wide(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
{
    float *dst = reinterpret_cast<float *>(d);
    for (size_t i = 0; i < n; ++i) {
        dst[i] += widen_half(reinterpret_cast<const uint16_t *>(a)[i]) *
                  widen_half(reinterpret_cast<const uint16_t *>(b)[i]);
    }
}
void axpy_wide(uint8_t *d, const uint8_t *a, const uint8_t *, uint64_t scalar, size_t n)
{
    float *dst = reinterpret_cast<float *>(d);
    const float s = half_scalar(scalar);
    for (size_t i = 0; i < n; ++i) {
        dst[i] += widen_half(reinterpret_cast<const uint16_t *>(a)[i]) * s;
    }
}

template <typename T> T saturate(float x)
{
    const float low = static_cast<float>(std::numeric_limits<T>::min());
    const float high = static_cast<float>(std::numeric_limits<T>::max());
    const float r = __builtin_rintf(x != x ? 0.0f : x);
    return static_cast<T>(r < low ? low : r > high ? high : r);
}
template <typename F> void to_half(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
{
    const float *x = reinterpret_cast<const float *>(a);
    const float *y = reinterpret_cast<const float *>(b);
    for (size_t i = 0; i < n; ++i) {
        reinterpret_cast<uint16_t *>(d)[i] = narrow_half(F::f(0.0f, x[i], y[i], 0.0f));
    }
}
template <typename D, typename F>
void half_to_byte(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const float x = widen_half(reinterpret_cast<const uint16_t *>(a)[i]);
        const float y = widen_half(reinterpret_cast<const uint16_t *>(b)[i]);
        reinterpret_cast<D *>(d)[i] = saturate<D>(widen_half(narrow_half(F::f(0.0f, x, y, 0.0f))));
    }
}
template <typename F> void short_to_byte(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const int32_t x = reinterpret_cast<const int16_t *>(a)[i];
        const int32_t y = reinterpret_cast<const int16_t *>(b)[i];
        const int32_t v = F::f(0, x, y, 0);
        reinterpret_cast<int8_t *>(d)[i] = static_cast<int8_t>(v > 127 ? 127 : v < -128 ? -128 : v);
    }
}
void add_deq_relu(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
{
    const float scale = vector_state().deq_scale;
    for (size_t i = 0; i < n; ++i) {
        const int32_t x = reinterpret_cast<const int32_t *>(a)[i];
        const int32_t y = reinterpret_cast<const int32_t *>(b)[i];
        reinterpret_cast<uint16_t *>(d)[i] = narrow_half(ops::relu(static_cast<float>(ops::wrap_add(x, y)) * scale));
    }
}
template <typename F> Loop to_byte(DType t)
{
    return t == DType::F16 ? half_to_byte<int8_t, F> : t == DType::I16 ? short_to_byte<F> : nullptr;
}

} // namespace

Loop loop_of(VecOp op, DType t)
{
    switch (op) {
    case VecOp::Exp: return float_half<ops::Exp>(t);
    case VecOp::Ln: return float_half<ops::Ln>(t);
    case VecOp::Abs: return float_half<ops::Abs>(t);
    case VecOp::Reciprocal: return float_half<ops::Reciprocal>(t);
    case VecOp::Sqrt: return float_half<ops::Sqrt>(t);
    case VecOp::Rsqrt: return float_half<ops::Rsqrt>(t);
    case VecOp::Relu: return t == DType::I32 ? loop<int32_t, ops::Relu> : float_half<ops::Relu>(t);
    case VecOp::Not: return bitwise<ops::Not>(t);
    case VecOp::Add: return arithmetic<ops::Add>(t);
    case VecOp::Sub: return arithmetic<ops::Sub>(t);
    case VecOp::Mul: return arithmetic<ops::Mul>(t);
    case VecOp::Div: return float_half<ops::Div>(t);
    case VecOp::Max: return arithmetic<ops::Max>(t);
    case VecOp::Min: return arithmetic<ops::Min>(t);
    case VecOp::And: return bitwise<ops::And>(t);
    case VecOp::Or: return bitwise<ops::Or>(t);
    case VecOp::AddRelu: return arithmetic<ops::AddRelu>(t);
    case VecOp::SubRelu: return arithmetic<ops::SubRelu>(t);
    case VecOp::MulAddDst: return float_half<ops::MulAddDst>(t);
    case VecOp::FusedMulAdd: return float_half<ops::FusedMulAdd>(t);
    case VecOp::FusedMulAddRelu: return float_half<ops::FusedMulAddRelu>(t);
    case VecOp::MulAddDstWide: return mul_add_wide;
    case VecOp::Adds: return arithmetic<ops::Adds>(t);
    case VecOp::Muls: return arithmetic<ops::Muls>(t);
    case VecOp::Maxs: return arithmetic<ops::Maxs>(t);
    case VecOp::Mins: return arithmetic<ops::Mins>(t);
    case VecOp::LeakyRelu: return float_half<ops::LeakyRelu>(t);
    case VecOp::ShiftLeft: return shift<ShiftLeft>(t);
    case VecOp::ShiftRight: return shift<ShiftRight<false>>(t);
    case VecOp::ShiftRightRound: return shift<ShiftRight<true>>(t);
    case VecOp::Axpy: return float_half<ops::Axpy>(t);
    case VecOp::AxpyWide: return axpy_wide;
    case VecOp::AddReluToHalf: return to_half<ops::AddRelu>;
    case VecOp::SubReluToHalf: return to_half<ops::SubRelu>;
    case VecOp::AddReluToInt8: return to_byte<ops::AddRelu>(t);
    case VecOp::SubReluToInt8: return to_byte<ops::SubRelu>(t);
    case VecOp::MulToInt8: return half_to_byte<int8_t, ops::Mul>;
    case VecOp::MulToUint8: return half_to_byte<uint8_t, ops::Mul>;
    case VecOp::AddDeqRelu: return add_deq_relu;
    case VecOp::Duplicate: return by_width<ops::Duplicate>(t);
    case VecOp::Copy: return by_width<ops::Copy>(t);
    case VecOp::COUNT: break;
    }
    return nullptr;
}

const OpFacts &facts(VecOp op)
{
    static constexpr OpFacts kFacts[] = {
        {"Exp", "Exp", 1, false, 0},
        {"Ln", "Ln", 1, false, 0},
        {"Abs", "Abs", 1, false, 0},
        {"Reciprocal", "Reciprocal", 1, false, 0},
        {"Sqrt", "Sqrt", 1, false, 0},
        {"Rsqrt", "Rsqrt", 1, false, 0},
        {"Relu", "Relu", 1, false, 0},
        {"Not", "Not", 1, false, 0},
        {"Add", "Add", 2, false, 0},
        {"Sub", "Sub", 2, false, 0},
        {"Mul", "Mul", 2, false, 0},
        {"Div", "Div", 2, false, 0},
        {"Max", "Max", 2, false, 0},
        {"Min", "Min", 2, false, 0},
        {"And", "And", 2, false, 0},
        {"Or", "Or", 2, false, 0},
        {"AddRelu", "AddRelu", 2, false, 0},
        {"SubRelu", "SubRelu", 2, false, 0},
        {"MulAddDst", "MulAddDst", 2, true, 0},
        {"FusedMulAdd", "FusedMulAdd", 2, true, 0},
        {"FusedMulAddRelu", "MulAddRelu", 2, true, 0},
        {"MulAddDst", "MulAddDst half->float", 2, true, 4},
        {"Adds", "Adds", 1, false, 0},
        {"Muls", "Muls", 1, false, 0},
        {"Maxs", "Maxs", 1, false, 0},
        {"Mins", "Mins", 1, false, 0},
        {"LeakyRelu", "LeakyRelu", 1, false, 0},
        {"ShiftLeft", "ShiftLeft", 1, false, 0},
        {"ShiftRight", "ShiftRight", 1, false, 0},
        {"ShiftRight", "ShiftRight", 1, false, 0},
        {"Axpy", "Axpy", 1, true, 0},
        {"Axpy", "Axpy half->float", 1, true, 4},
        {"AddReluCast", "AddReluCast float->half", 2, false, 2},
        {"AddReluCast", "AddReluCast half->int8_t", 2, false, 1},
        {"SubReluCast", "SubReluCast float->half", 2, false, 2},
        {"SubReluCast", "SubReluCast half->int8_t", 2, false, 1},
        {"MulCast", "MulCast half->int8_t", 2, false, 1},
        {"MulCast", "MulCast half->uint8_t", 2, false, 1},
        {"AddDeqRelu", "CastDequant int32_t->half", 2, false, 2},
        {"Duplicate", "Duplicate", 0, false, 0},
        {"Copy", "Copy", 1, false, 0},
    };
    static_assert(sizeof kFacts / sizeof kFacts[0] == static_cast<size_t>(VecOp::COUNT));
    return kFacts[static_cast<size_t>(op)];
}

} // namespace akgen::twin
