// Which loop an instruction runs for a dtype.
#include "elementwise.h"
#include "facts.h"
#include "keyed.h"
#include "state.h"

namespace akgen::twin {
namespace {

struct half {}; // computed in float, rounded after
template <typename T> constexpr DType dtype_for = DType::NONE;
template <> constexpr DType dtype_for<half> = DType::F16;
template <> constexpr DType dtype_for<float> = DType::F32;
template <> constexpr DType dtype_for<int16_t> = DType::I16;
template <> constexpr DType dtype_for<uint16_t> = DType::U16;
template <> constexpr DType dtype_for<int32_t> = DType::I32;
template <> constexpr DType dtype_for<uint32_t> = DType::U32;

template <typename T, typename F> constexpr Loop loop_for()
{
    static_assert(dtype_for<T> != DType::NONE, "a type of the table has no loop");
    if constexpr (std::is_same_v<T, half>) {
        return loop_half<F>;
    } else {
        return loop<T, F>;
    }
}
// The loop for t among Types, nullptr if it is none of them.
template <typename F, typename... Types> Loop among(DType t)
{
    Loop found = nullptr;
    ((t == dtype_for<Types> ? void(found = loop_for<Types, F>()) : void()), ...);
    return found;
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

// half sources, float destination
void mul_add_wide(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
{
    float *dst = reinterpret_cast<float *>(d);
    for (size_t i = 0; i < n; ++i) {
        dst[i] +=
            widen_half(reinterpret_cast<const uint16_t *>(a)[i]) * widen_half(reinterpret_cast<const uint16_t *>(b)[i]);
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
template <typename D, typename F> void half_to_byte(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t, size_t n)
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
#define AKGEN_UNARY(Name, dtypes, ...)                                                                                 \
    case VecOp::Name: return among<ops::Name, dtypes>(t);
#define AKGEN_BINARY(Name, dtypes, ...)                                                                                \
    case VecOp::Name: return among<ops::Name, dtypes>(t);
#define AKGEN_SCALAR(Name, dtypes, ...)                                                                                \
    case VecOp::Name: return among<ops::Name, dtypes>(t);
#define AKGEN_VARIANT(Row, name, sources, dst, dst_bytes, cost, loop)                                                  \
    case VecOp::Row: return loop;
#include "akgen/tables/vector.def"
    case VecOp::COUNT: break;
    }
    return nullptr;
}

namespace {
constexpr OpFacts op_rows[] = {
#define AKGEN_UNARY(Name, dtypes, dst, value, cost) {VecOp::Name, #Name, cost, 1, dst == Use::BOTH, 0},
#define AKGEN_BINARY(Name, dtypes, dst, value, cost) {VecOp::Name, #Name, cost, 2, dst == Use::BOTH, 0},
#define AKGEN_SCALAR(Name, dtypes, dst, value, cost) {VecOp::Name, #Name, cost, 1, dst == Use::BOTH, 0},
#define AKGEN_VARIANT(Row, name, sources, dst, dst_bytes, cost, loop)                                                  \
    {VecOp::Row, name, cost, sources, dst == Use::BOTH, dst_bytes},
#include "akgen/tables/vector.def"
};
static_assert(one_row_each<VecOp>(op_rows));
} // namespace

const OpFacts &facts(VecOp op) { return row_of(op_rows, op); }

} // namespace akgen::twin
