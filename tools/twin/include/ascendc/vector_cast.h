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
                Pair<float, int32_t>, Pair<float, int64_t>, Pair<half, float>, Pair<half, int32_t>, Pair<half, int16_t>,
                Pair<half, int8_t>, Pair<half, uint8_t>, Pair<half, int4b_t>, Pair<bfloat16_t, float>,
                Pair<bfloat16_t, int32_t>, Pair<int4b_t, half>, Pair<uint8_t, half>, Pair<int8_t, half>,
                Pair<int16_t, half>, Pair<int16_t, float>, Pair<int32_t, float>, Pair<int32_t, half>,
                Pair<int32_t, int16_t>, Pair<int32_t, int64_t>, Pair<int64_t, int32_t>, Pair<int64_t, float>>,
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

// Whether results end at the largest number of their type. FLOAT: half and bfloat16_t, else they become infinite; CAST:
// integers of conversions, else they keep their low bits.
template <SaturationMode mode> AKGEN_INLINE void SetSaturationFlag(bool enableSat)
{
    akgen::twin::set_saturation(mode == SaturationMode::CAST, enableSat);
}
template <SaturationMode mode> AKGEN_INLINE bool GetSaturationFlag()
{
    return akgen::twin::saturation(mode == SaturationMode::CAST);
}
namespace detail {
template <int8_t startBit, int8_t endBit> constexpr void is_saturation_bit()
{
    static_assert(
        startBit == 48 && endBit == 48,
        "AKGEN:OTHER_CHIP: on Ascend910B SetCtrlSpr and GetCtrlSpr take bit 48 only: SetCtrlSpr<48, 48>(value)");
}
} // namespace detail
// Bit 48 of the control register: 0 is SetSaturationFlag<SaturationMode::FLOAT>(true).
template <int8_t startBit, int8_t endBit> AKGEN_INLINE void SetCtrlSpr(int64_t value)
{
    detail::is_saturation_bit<startBit, endBit>();
    akgen::twin::set_saturation(false, (value & 1) == 0);
}
template <int8_t startBit, int8_t endBit> AKGEN_INLINE int64_t GetCtrlSpr()
{
    detail::is_saturation_bit<startBit, endBit>();
    return akgen::twin::saturation(false) ? 0 : 1;
}
AKGEN_INLINE void SetDeqScale(half scale) { akgen::twin::set_deq_scale(static_cast<float>(scale)); }
AKGEN_INLINE void SetDeqScale(float scale, int16_t offset, bool signMode)
{
    akgen::twin::set_deq(scale, offset, signMode);
}
struct VdeqInfo {
    float vdeqScale[16] = {};
    int16_t vdeqOffset[16] = {};
    bool vdeqSignMode[16] = {};
    VdeqInfo() {}
    VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16])
    {
        for (int32_t i = 0; i < 16; ++i) {
            vdeqScale[i] = scales[i];
            vdeqOffset[i] = offsets[i];
            vdeqSignMode[i] = signs[i];
        }
    }
};
template <typename T> AKGEN_INLINE void SetDeqScale(const LocalTensor<T> &src)
{
    static_assert(sizeof(PrimT<T>) == 8, "SetDeqScale takes 16 words of 64 bits");
    akgen::twin::set_deq_table(detail::view(src));
}
template <typename T> AKGEN_INLINE void SetDeqScale(const LocalTensor<T> &vdeqTensor, const VdeqInfo &vdeqInfo)
{
    for (uint32_t i = 0; i < 16; ++i) {
        const uint64_t offset = static_cast<uint64_t>(vdeqInfo.vdeqOffset[i]) & 0x1ff;
        const uint64_t sign = vdeqInfo.vdeqSignMode[i] ? 1 : 0;
        vdeqTensor.SetValue(i, static_cast<T>(detail::bits(vdeqInfo.vdeqScale[i]) | offset << 37 | sign << 46));
    }
    SetDeqScale(vdeqTensor);
}

namespace detail {
// CastDeq of int32 is Cast with the scale; of int16 it fills half of each block.
template <typename T, typename U> constexpr void CastDeq_takes()
{
    static_assert((std::is_same_v<PrimT<U>, int16_t> && one_of<PrimT<T>, int8_t, uint8_t>) ||
                      (std::is_same_v<PrimT<U>, int32_t> && std::is_same_v<PrimT<T>, half>),
                  "AKGEN:DTYPE_UNSUPPORTED: CastDeq does not convert between these dtypes on Ascend910B; supported: "
                  "int16_t -> int8_t, uint8_t; int32_t -> half");
}
} // namespace detail
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
AKGEN_INLINE void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
    detail::CastDeq_takes<T, U>();
    if constexpr (std::is_same_v<PrimT<U>, int32_t>) {
        Cast(dst, src, RoundMode::CAST_NONE, count);
    } else {
        akgen::twin::narrow_count(detail::dtype_of<T>(), detail::view(dst), detail::view(src), isVecDeq, halfBlock,
                                  count);
    }
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
AKGEN_INLINE void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                          uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    detail::CastDeq_takes<T, U>();
    if constexpr (std::is_same_v<PrimT<U>, int32_t>) {
        Cast<T, U, isSetMask>(dst, src, RoundMode::CAST_NONE, mask, repeatTime, repeatParams);
    } else {
        akgen::twin::narrow_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src), isVecDeq, halfBlock,
                                   detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
    }
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
AKGEN_INLINE void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask, uint8_t repeatTime,
                          const UnaryRepeatParams &repeatParams)
{
    detail::CastDeq_takes<T, U>();
    if constexpr (std::is_same_v<PrimT<U>, int32_t>) {
        Cast<T, U, isSetMask>(dst, src, RoundMode::CAST_NONE, static_cast<uint64_t>(mask), repeatTime, repeatParams);
    } else {
        akgen::twin::narrow_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src), isVecDeq, halfBlock,
                                   detail::mask_of<isSetMask>(static_cast<uint64_t>(mask)), repeatTime,
                                   detail::strides(repeatParams));
    }
}
// The later name of the same.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
AKGEN_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
    CastDeq<T, U, isVecDeq, halfBlock>(dst, src, count);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
AKGEN_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                              uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    CastDeq<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
AKGEN_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                              uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    CastDeq<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, repeatTime, repeatParams);
}

} // namespace AscendC
