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

// Tensors of 32 bits in the count form only; `count` is that of their halves, twice the number of elements.
#define AKGEN_HALVES(Name, Type)                                                                                       \
    template <>                                                                                                        \
    AKGEN_INLINE void Name(const LocalTensor<Type> &dst, const LocalTensor<Type> &src0, const LocalTensor<Type> &src1, \
                           const int32_t &count)                                                                       \
    {                                                                                                                  \
        akgen::twin::vector_count(akgen::twin::VecOp::Name, detail::dtype_of<Type>(), detail::view(dst),               \
                                  detail::view(src0), detail::view(src1), 0, count);                                   \
    }
AKGEN_HALVES(And, int32_t)
AKGEN_HALVES(And, uint32_t)
AKGEN_HALVES(Or, int32_t)
AKGEN_HALVES(Or, uint32_t)
#undef AKGEN_HALVES

} // namespace AscendC
