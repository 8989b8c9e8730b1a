// Cast, SetDeqScale, and conversions of single values.
#pragma once
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {

template <typename From, typename To> struct Pair {};
template <typename P, typename... Allowed> constexpr bool pair_of = (std::is_same_v<P, Allowed> || ...);

template <typename T, typename U> constexpr void Cast_takes()
{
    using P = Pair<PrimT<U>, PrimT<T>>;
    static_assert(
        pair_of<P, Pair<float, float>, Pair<float, half>, Pair<float, bfloat16_t>, Pair<float, int16_t>,
                Pair<float, int32_t>, Pair<float, int64_t>, Pair<half, float>, Pair<half, int32_t>,
                Pair<half, int16_t>, Pair<half, int8_t>, Pair<half, uint8_t>, Pair<half, int4b_t>,
                Pair<bfloat16_t, float>, Pair<bfloat16_t, int32_t>, Pair<int4b_t, half>, Pair<uint8_t, half>,
                Pair<int8_t, half>, Pair<int16_t, half>, Pair<int16_t, float>, Pair<int32_t, float>,
                Pair<int32_t, half>, Pair<int32_t, int16_t>, Pair<int32_t, int64_t>, Pair<int64_t, int32_t>,
                Pair<int64_t, float>>,
        "AKGEN:DTYPE_UNSUPPORTED: Cast does not convert between these dtypes on Ascend910B; supported: "
        "float -> float, half, bfloat16_t, int16_t, int32_t, int64_t; half -> float, int32_t, int16_t, int8_t, "
        "uint8_t, int4b_t; bfloat16_t -> float, int32_t; int4b_t, uint8_t, int8_t -> half; int16_t -> half, float; "
        "int32_t -> float, half, int16_t, int64_t; int64_t -> int32_t, float");
}
} // namespace detail

template <typename T, typename U>
AKGEN_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                       const uint32_t count)
{
    detail::Cast_takes<T, U>();
    akgen::twin::cast_count(detail::dtype_of<T>(), detail::dtype_of<U>(), detail::view(dst), detail::view(src),
                            static_cast<uint8_t>(roundMode), count);
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                       const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    detail::Cast_takes<T, U>();
    akgen::twin::cast_repeat(detail::dtype_of<T>(), detail::dtype_of<U>(), detail::view(dst), detail::view(src),
                             static_cast<uint8_t>(roundMode), detail::mask_of<isSetMask>(mask), repeatTime,
                             detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                       const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    detail::Cast_takes<T, U>();
    akgen::twin::cast_repeat(detail::dtype_of<T>(), detail::dtype_of<U>(), detail::view(dst), detail::view(src),
                             static_cast<uint8_t>(roundMode), detail::mask_of<isSetMask>(mask), repeatTime,
                             detail::strides(repeatParams));
}

AKGEN_INLINE void SetDeqScale(half scale) { akgen::twin::set_deq_scale(static_cast<float>(scale)); }
AKGEN_INLINE void SetDeqScale(float scale, int16_t, bool) { akgen::twin::set_deq_scale(scale); }

} // namespace AscendC
