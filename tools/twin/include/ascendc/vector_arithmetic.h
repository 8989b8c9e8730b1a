// One-source, two-source and scalar arithmetic: the count form and the mask/repeat forms of each.
#pragma once
#include "ascendc/vector_dtypes.h"

namespace AscendC {

#define AKGEN_UNARY(Name, ...)                                                                                         \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)                 \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_count(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                  \
                                  detail::view(src), {}, 0, count);                                                    \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[],                      \
                           const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                            \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                 \
                                   detail::view(src), {}, 0, detail::mask_of<isSetMask>(mask), repeatTime,             \
                                   detail::strides(repeatParams));                                                     \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,                        \
                           const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                            \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                 \
                                   detail::view(src), {}, 0, detail::mask_of<isSetMask>(mask), repeatTime,             \
                                   detail::strides(repeatParams));                                                     \
    }

#define AKGEN_BINARY(Name, ...)                                                                                        \
    template <typename T>                                                                                              \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,          \
                           const int32_t &count)                                                                       \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_count(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                  \
                                  detail::view(src0), detail::view(src1), 0, count);                                   \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,          \
                           uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)          \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                 \
                                   detail::view(src0), detail::view(src1), 0, detail::mask_of<isSetMask>(mask),        \
                                   repeatTime, detail::strides(repeatParams));                                         \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,          \
                           uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)            \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                 \
                                   detail::view(src0), detail::view(src1), 0, detail::mask_of<isSetMask>(mask),        \
                                   repeatTime, detail::strides(repeatParams));                                         \
    }

#define AKGEN_SCALAR(Name, ...)                                                                                        \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,                 \
                           const int32_t &count)                                                                       \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_count(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                  \
                                  detail::view(src), {}, detail::bits(scalarValue), count);                            \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,                 \
                           uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)           \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                 \
                                   detail::view(src), {}, detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), \
                                   repeatTime, detail::strides(repeatParams));                                         \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, uint64_t mask,  \
                           const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                            \
    {                                                                                                                  \
        detail::Name##_takes<T>();                                                                                     \
        akgen::twin::vector_repeat(akgen::twin::VecOp::Name, detail::dtype_of<T>(), detail::view(dst),                 \
                                   detail::view(src), {}, detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), \
                                   repeatTime, detail::strides(repeatParams));                                         \
    }                                                                                                                  \
    /* Of tensors with a trait the scalar has the stored type. */                                                      \
    template <typename T, bool isSetMask = true, typename = detail::IfTrait<T>>                                        \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const PrimT<T> &scalarValue,          \
                           const int32_t &count)                                                                       \
    {                                                                                                                  \
        Name(detail::plain(dst), detail::plain(src), scalarValue, count);                                              \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true, typename = detail::IfTrait<T>>                                        \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const PrimT<T> &scalarValue,          \
                           uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)           \
    {                                                                                                                  \
        Name<PrimT<T>, isSetMask>(detail::plain(dst), detail::plain(src), scalarValue, mask, repeatTime,               \
                                  repeatParams);                                                                       \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true, typename = detail::IfTrait<T>>                                        \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const PrimT<T> &scalarValue,          \
                           uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)             \
    {                                                                                                                  \
        Name<PrimT<T>, isSetMask>(detail::plain(dst), detail::plain(src), scalarValue, mask, repeatTime,               \
                                  repeatParams);                                                                       \
    }

#include "akgen/tables/vector.def"

} // namespace AscendC
