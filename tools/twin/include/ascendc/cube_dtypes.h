// Which element types the cube core's instructions take on Ascend910B. The checks fire at compile time.
#pragma once
#include "ascendc/tensor.h"

namespace AscendC {
namespace detail {

template <typename T, typename... Allowed> constexpr bool cube_one_of = (std::is_same_v<PrimT<T>, Allowed> || ...);

// Two int4b_t are moved as one byte, and the parameters count bytes.
template <typename T> constexpr void reorders()
{
    static_assert(
        cube_one_of<T, int4b_t, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
        "AKGEN:DTYPE_UNSUPPORTED: DataCopy into fractal order does not take this dtype on Ascend910B; supported: "
        "int4b_t (from GM), int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float");
}
template <typename T> constexpr void loads()
{
    static_assert(
        cube_one_of<T, int4b_t, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,
        "AKGEN:DTYPE_UNSUPPORTED: LoadData does not take this dtype on Ascend910B; supported: int4b_t, int8_t, "
        "uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float");
}
template <typename T> constexpr void loads_from_global()
{
    loads<T>();
    static_assert(
        !cube_one_of<T, int4b_t>,
        "AKGEN:DTYPE_UNSUPPORTED: LoadData takes int4b_t from L1 only on Ascend910B; supported from GM: int8_t, "
        "uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float");
}
template <typename T> constexpr void loads_transposed()
{
    static_assert(
        cube_one_of<T, int4b_t, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float>,
        "AKGEN:DTYPE_UNSUPPORTED: LoadDataWithTranspose does not take this dtype on Ascend910B; supported: int4b_t "
        "(to L0B), int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float");
}
template <typename T> constexpr void loads_image()
{
    static_assert(
        cube_one_of<T, int4b_t, int8_t, uint8_t, half, bfloat16_t, int32_t, uint32_t, float>,
        "AKGEN:DTYPE_UNSUPPORTED: LoadData of an image does not take this dtype on Ascend910B; supported: int4b_t, "
        "int8_t, uint8_t (to L0A), half, bfloat16_t, int32_t, uint32_t, float");
}

template <typename C, typename A, typename B> constexpr void multiplies()
{
    using c = PrimT<C>;
    using a = PrimT<A>;
    static_assert(
        std::is_same_v<a, PrimT<B>> && ((std::is_same_v<c, float> && cube_one_of<a, half, bfloat16_t, float>) ||
                                        (std::is_same_v<c, int32_t> && cube_one_of<a, int8_t, int4b_t>)),
        "AKGEN:DTYPE_UNSUPPORTED: Mmad does not take these dtypes on Ascend910B; supported (dst x fm x filter): "
        "float x half x half, float x bfloat16_t x bfloat16_t, float x float x float, int32_t x int8_t x int8_t, "
        "int32_t x int4b_t x int4b_t");
}

// What leaves L0C: which of these conversions it is, quantPre says when the kernel runs.
template <typename To, typename From> constexpr void leaves()
{
    using from = PrimT<From>;
    static_assert(
        (std::is_same_v<from, float> && cube_one_of<To, float, half, bfloat16_t, int8_t, uint8_t>) ||
            (std::is_same_v<from, int32_t> && cube_one_of<To, int32_t, half, int8_t, uint8_t>),
        "AKGEN:DTYPE_UNSUPPORTED: L0C does not leave in this dtype on Ascend910B; supported: float as float, half, "
        "bfloat16_t, int8_t, uint8_t; int32_t as int32_t, half, int8_t, uint8_t");
}

} // namespace detail
} // namespace AscendC
