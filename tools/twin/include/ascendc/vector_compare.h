// Compare and Select.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(CompareToRegister, half, float)

#define AKGEN_CMPMODE(Mode, symbol)                                                                                    \
    static_assert(static_cast<uint8_t>(CMPMODE::Mode) == static_cast<uint8_t>(akgen::twin::CompareMode::Mode));
#include "akgen/tables/compare.def"

template <typename T, typename U> AKGEN_INLINE void Compare_into()
{
    Compare_takes<T>();
    if constexpr (!one_of<U, int8_t, uint8_t>) {
        akgen::twin::compare_into(dtype_of<U>());
    }
}
} // namespace detail

template <typename T, typename U>
AKGEN_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                          CMPMODE cmpMode, uint32_t count)
{
    detail::Compare_into<T, U>();
    akgen::twin::compare_count(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1),
                               static_cast<uint8_t>(cmpMode), count);
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                          CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime,
                          const BinaryRepeatParams &repeatParams)
{
    detail::Compare_into<T, U>();
    akgen::twin::compare_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1),
                                static_cast<uint8_t>(cmpMode), detail::mask_of<isSetMask>(mask), repeatTime,
                                detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                          CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime,
                          const BinaryRepeatParams &repeatParams)
{
    detail::Compare_into<T, U>();
    akgen::twin::compare_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(src1),
                                static_cast<uint8_t>(cmpMode), detail::mask_of<isSetMask>(mask), repeatTime,
                                detail::strides(repeatParams));
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                          const uint64_t mask[], const BinaryRepeatParams &repeatParams)
{
    detail::CompareToRegister_takes<T>();
    akgen::twin::compare_register(detail::dtype_of<T>(), detail::view(src0), detail::view(src1),
                                  static_cast<uint8_t>(cmpMode), detail::mask_of<isSetMask>(mask),
                                  detail::strides(repeatParams));
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode, const uint64_t mask,
                          const BinaryRepeatParams &repeatParams)
{
    detail::CompareToRegister_takes<T>();
    akgen::twin::compare_register(detail::dtype_of<T>(), detail::view(src0), detail::view(src1),
                                  static_cast<uint8_t>(cmpMode), detail::mask_of<isSetMask>(mask),
                                  detail::strides(repeatParams));
}
template <typename T> AKGEN_INLINE void GetCmpMask(const LocalTensor<T> &dst)
{
    akgen::twin::get_compare_mask(detail::view(dst));
}
template <typename T> AKGEN_INLINE void SetCmpMask(const LocalTensor<T> &src)
{
    akgen::twin::set_compare_mask(detail::view(src));
}

#define AKGEN_COMPARE_SCALAR(Name, ...)                                                                                \
    template <typename T, typename U>                                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode, \
                           uint32_t count)                                                                             \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        detail::Compare_into<T, U>();                                                                                  \
        akgen::twin::compare_scalar_count(detail::dtype_of<T>(), detail::view(dst), detail::view(src0),                \
                                          detail::bits(src1Scalar), static_cast<uint8_t>(cmpMode), count);             \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    AKGEN_INLINE void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode, \
                           const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams &repeatParams)           \
    {                                                                                                                  \
        detail::Compare_into<T, U>();                                                                                  \
        akgen::twin::compare_scalar_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src0),               \
                                           detail::bits(src1Scalar), static_cast<uint8_t>(cmpMode),                    \
                                           detail::mask_of<isSetMask>(mask), repeatTime,                               \
                                           detail::strides(repeatParams));                                             \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    AKGEN_INLINE void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode, \
                           const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams &repeatParams)             \
    {                                                                                                                  \
        detail::Compare_into<T, U>();                                                                                  \
        akgen::twin::compare_scalar_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src0),               \
                                           detail::bits(src1Scalar), static_cast<uint8_t>(cmpMode),                    \
                                           detail::mask_of<isSetMask>(mask), repeatTime,                               \
                                           detail::strides(repeatParams));                                             \
    }
#include "akgen/tables/instruction.def"

template <typename T, typename U>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                         const LocalTensor<T> &src1, SELMODE selMode, uint32_t count)
{
    detail::Select_takes<T>();
    akgen::twin::select_count(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0),
                              detail::view(src1), 0, static_cast<uint8_t>(selMode), false, count);
}
template <typename T, typename U>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0, T src1,
                         SELMODE selMode, uint32_t count)
{
    detail::Select_takes<T>();
    akgen::twin::select_count(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0), {},
                              detail::bits(src1), static_cast<uint8_t>(selMode), true, count);
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                         const LocalTensor<T> &src1, SELMODE selMode, uint64_t mask[], uint8_t repeatTime,
                         const BinaryRepeatParams &repeatParams)
{
    detail::Select_takes<T>();
    akgen::twin::select_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0),
                               detail::view(src1), 0, static_cast<uint8_t>(selMode), false,
                               detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                         const LocalTensor<T> &src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime,
                         const BinaryRepeatParams &repeatParams)
{
    detail::Select_takes<T>();
    akgen::twin::select_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0),
                               detail::view(src1), 0, static_cast<uint8_t>(selMode), false,
                               detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0, T src1,
                         SELMODE selMode, uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    detail::Select_takes<T>();
    akgen::twin::select_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0), {},
                               detail::bits(src1), static_cast<uint8_t>(selMode), true,
                               detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0, T src1,
                         SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    detail::Select_takes<T>();
    akgen::twin::select_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0), {},
                               detail::bits(src1), static_cast<uint8_t>(selMode), true,
                               detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
}
template <typename T, SELMODE selMode>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                         uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    detail::Select_takes<T>();
    akgen::twin::select_register(detail::dtype_of<T>(), detail::view(dst), {}, detail::view(src0), detail::view(src1),
                                 static_cast<uint8_t>(selMode), repeatTime, detail::strides(repeatParams));
}
template <typename T, typename U>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                         uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    detail::Select_takes<T>();
    akgen::twin::select_register(detail::dtype_of<T>(), detail::view(dst), detail::view(selMask), detail::view(src0),
                                 {}, static_cast<uint8_t>(SELMODE::VSEL_TENSOR_SCALAR_MODE), repeatTime,
                                 detail::strides(repeatParams));
}

struct SelectWithBytesMaskShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};
template <typename T, typename U, bool isReuseMask = true>
AKGEN_INLINE void SelectWithBytesMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1,
                                      const LocalTensor<U> &mask, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                      const SelectWithBytesMaskShapeInfo &info)
{
    detail::SelectWithBytesMask_takes<T>();
    akgen::twin::select_bytes(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), {}, detail::bits(src1),
                              detail::view(mask), sizeof(U), detail::view(sharedTmpBuffer), info.firstAxis,
                              info.srcLastAxis, info.maskLastAxis);
}
template <typename T, typename U, bool isReuseMask = true>
AKGEN_INLINE void SelectWithBytesMask(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1,
                                      const LocalTensor<U> &mask, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                      const SelectWithBytesMaskShapeInfo &info)
{
    detail::SelectWithBytesMask_takes<T>();
    akgen::twin::select_bytes(detail::dtype_of<T>(), detail::view(dst), {}, detail::view(src1), detail::bits(src0),
                              detail::view(mask), sizeof(U), detail::view(sharedTmpBuffer), info.firstAxis,
                              info.srcLastAxis, info.maskLastAxis);
}

// The same under its later name.
template <typename T, typename U, bool isReuseMask = true>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1, const LocalTensor<U> &mask,
                         const LocalTensor<uint8_t> &sharedTmpBuffer, const SelectWithBytesMaskShapeInfo &info)
{
    SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info);
}
template <typename T, typename U, bool isReuseMask = true>
AKGEN_INLINE void Select(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1, const LocalTensor<U> &mask,
                         const LocalTensor<uint8_t> &sharedTmpBuffer, const SelectWithBytesMaskShapeInfo &info)
{
    SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info);
}

} // namespace AscendC
