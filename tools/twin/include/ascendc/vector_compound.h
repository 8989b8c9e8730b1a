// Instructions that do not fit the common forms: shifts with rounding, multiply-add with mixed types, fused
// narrowing.
#pragma once
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {

AKGEN_TAKES(ShiftRight, int16_t, uint16_t, int32_t, uint32_t)

// T is the destination, U the source: the same type, or float from half.
template <typename T, typename U> constexpr void MulAddDst_pair()
{
    static_assert((std::is_same_v<T, U> && one_of<T, half, float>) ||
                      (std::is_same_v<T, float> && std::is_same_v<U, half>),
                  "AKGEN:DTYPE_UNSUPPORTED: MulAddDst does not take these dtypes on Ascend910B; supported (dst, "
                  "src): (half, half), "
                  "(float, float), (float, half)");
}
template <typename T, typename U> constexpr void Axpy_pair()
{
    static_assert(
        (std::is_same_v<T, U> && one_of<T, half, float>) || (std::is_same_v<T, float> && std::is_same_v<U, half>),
        "AKGEN:DTYPE_UNSUPPORTED: Axpy does not take these dtypes on Ascend910B; supported (dst, src): (half, half), "
        "(float, float), (float, half)");
}
template <typename T, typename U>
constexpr akgen::twin::VecOp narrowing(akgen::twin::VecOp to_half, akgen::twin::VecOp to_byte)
{
    static_assert((std::is_same_v<T, half> && std::is_same_v<U, float>) ||
                      (std::is_same_v<T, int8_t> && one_of<U, half, int16_t>),
                  "AKGEN:DTYPE_UNSUPPORTED: AddReluCast and SubReluCast do not take these dtypes on Ascend910B; "
                  "supported (dst, src): "
                  "(half, float), (int8_t, half), (int8_t, int16_t)");
    return std::is_same_v<T, half> ? to_half : to_byte;
}
template <typename T, typename U> constexpr akgen::twin::VecOp multiplied()
{
    static_assert(one_of<T, int8_t, uint8_t> && std::is_same_v<U, half>,
                  "AKGEN:DTYPE_UNSUPPORTED: MulCast does not take these dtypes on Ascend910B; supported (dst, src): "
                  "(int8_t, half), "
                  "(uint8_t, half)");
    return std::is_same_v<T, int8_t> ? akgen::twin::VecOp::MulToInt8 : akgen::twin::VecOp::MulToUint8;
}
} // namespace detail

template <typename T, bool isSetMask = true>
AKGEN_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,
                             const int32_t &count)
{
    detail::ShiftRight_takes<T>();
    akgen::twin::vector_count(akgen::twin::VecOp::ShiftRight, detail::dtype_of<T>(), detail::view(dst),
                              detail::view(src), {}, detail::bits(scalarValue), count);
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,
                             uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &repeatParams,
                             bool roundEn = false)
{
    detail::ShiftRight_takes<T>();
    akgen::twin::vector_repeat(roundEn ? akgen::twin::VecOp::ShiftRightRound : akgen::twin::VecOp::ShiftRight,
                               detail::dtype_of<T>(), detail::view(dst), detail::view(src), {},
                               detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), repeatTime,
                               detail::strides(repeatParams));
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, uint64_t mask,
                             const uint8_t repeatTime, const UnaryRepeatParams &repeatParams, bool roundEn = false)
{
    detail::ShiftRight_takes<T>();
    akgen::twin::vector_repeat(roundEn ? akgen::twin::VecOp::ShiftRightRound : akgen::twin::VecOp::ShiftRight,
                               detail::dtype_of<T>(), detail::view(dst), detail::view(src), {},
                               detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), repeatTime,
                               detail::strides(repeatParams));
}

template <typename T, typename U>
AKGEN_INLINE void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                            const int32_t &count)
{
    detail::MulAddDst_pair<T, U>();
    akgen::twin::vector_count(std::is_same_v<T, U> ? akgen::twin::VecOp::MulAddDst : akgen::twin::VecOp::MulAddDstWide,
                              detail::dtype_of<U>(), detail::view(dst), detail::view(src0), detail::view(src1), 0,
                              count);
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                            const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    detail::MulAddDst_pair<T, U>();
    akgen::twin::vector_repeat(std::is_same_v<T, U> ? akgen::twin::VecOp::MulAddDst : akgen::twin::VecOp::MulAddDstWide,
                               detail::dtype_of<U>(), detail::view(dst), detail::view(src0), detail::view(src1), 0,
                               detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                            uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    detail::MulAddDst_pair<T, U>();
    akgen::twin::vector_repeat(std::is_same_v<T, U> ? akgen::twin::VecOp::MulAddDst : akgen::twin::VecOp::MulAddDstWide,
                               detail::dtype_of<U>(), detail::view(dst), detail::view(src0), detail::view(src1), 0,
                               detail::mask_of<isSetMask>(mask), repeatTime, detail::strides(repeatParams));
}

template <typename T, typename U>
AKGEN_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue, const int32_t &count)
{
    detail::Axpy_pair<T, U>();
    akgen::twin::vector_count(std::is_same_v<T, U> ? akgen::twin::VecOp::Axpy : akgen::twin::VecOp::AxpyWide,
                              detail::dtype_of<U>(), detail::view(dst), detail::view(src), {},
                              detail::bits(scalarValue), count);
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue, uint64_t mask[],
                       const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    detail::Axpy_pair<T, U>();
    akgen::twin::vector_repeat(std::is_same_v<T, U> ? akgen::twin::VecOp::Axpy : akgen::twin::VecOp::AxpyWide,
                               detail::dtype_of<U>(), detail::view(dst), detail::view(src), {},
                               detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), repeatTime,
                               detail::strides(repeatParams));
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue, uint64_t mask,
                       const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)
{
    detail::Axpy_pair<T, U>();
    akgen::twin::vector_repeat(std::is_same_v<T, U> ? akgen::twin::VecOp::Axpy : akgen::twin::VecOp::AxpyWide,
                               detail::dtype_of<U>(), detail::view(dst), detail::view(src), {},
                               detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), repeatTime,
                               detail::strides(repeatParams));
}

#define AKGEN_NARROWING(Name, Op)                                                                                      \
    template <typename T, typename U>                                                                                  \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,          \
                           const uint32_t count)                                                                       \
    {                                                                                                                  \
        constexpr akgen::twin::VecOp op = Op;                                                                          \
        akgen::twin::vector_count(op, detail::dtype_of<U>(), detail::view(dst), detail::view(src0),                    \
                                  detail::view(src1), 0, count);                                                       \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,          \
                           uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)          \
    {                                                                                                                  \
        constexpr akgen::twin::VecOp op = Op;                                                                          \
        akgen::twin::vector_repeat(op, detail::dtype_of<U>(), detail::view(dst), detail::view(src0),                   \
                                   detail::view(src1), 0, detail::mask_of<isSetMask>(mask), repeatTime,                \
                                   detail::strides(repeatParams));                                                     \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    AKGEN_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,          \
                           uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)            \
    {                                                                                                                  \
        constexpr akgen::twin::VecOp op = Op;                                                                          \
        akgen::twin::vector_repeat(op, detail::dtype_of<U>(), detail::view(dst), detail::view(src0),                   \
                                   detail::view(src1), 0, detail::mask_of<isSetMask>(mask), repeatTime,                \
                                   detail::strides(repeatParams));                                                     \
    }

AKGEN_NARROWING(AddReluCast,
                (detail::narrowing<T, U>(akgen::twin::VecOp::AddReluToHalf, akgen::twin::VecOp::AddReluToInt8)))
AKGEN_NARROWING(SubReluCast,
                (detail::narrowing<T, U>(akgen::twin::VecOp::SubReluToHalf, akgen::twin::VecOp::SubReluToInt8)))
AKGEN_NARROWING(MulCast, (detail::multiplied<T, U>()))
#undef AKGEN_NARROWING

AKGEN_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                             const LocalTensor<int32_t> &src1, const int32_t &count)
{
    akgen::twin::vector_count(akgen::twin::VecOp::AddDeqRelu, akgen::twin::DType::I32, detail::view(dst),
                              detail::view(src0), detail::view(src1), 0, count);
}
template <bool isSetMask = true>
AKGEN_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                             const LocalTensor<int32_t> &src1, uint64_t mask[], const uint8_t repeatTime,
                             const BinaryRepeatParams &repeatParams)
{
    akgen::twin::vector_repeat(akgen::twin::VecOp::AddDeqRelu, akgen::twin::DType::I32, detail::view(dst),
                               detail::view(src0), detail::view(src1), 0, detail::mask_of<isSetMask>(mask), repeatTime,
                               detail::strides(repeatParams));
}
template <bool isSetMask = true>
AKGEN_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                             const LocalTensor<int32_t> &src1, uint64_t mask, const uint8_t repeatTime,
                             const BinaryRepeatParams &repeatParams)
{
    akgen::twin::vector_repeat(akgen::twin::VecOp::AddDeqRelu, akgen::twin::DType::I32, detail::view(dst),
                               detail::view(src0), detail::view(src1), 0, detail::mask_of<isSetMask>(mask), repeatTime,
                               detail::strides(repeatParams));
}

// With element types as template arguments: the form for tensors with a trait.
namespace detail {
template <typename T, typename U> constexpr bool AddDeqRelu_pair()
{
    constexpr bool known = std::is_same_v<PrimT<T>, half> && std::is_same_v<PrimT<U>, int32_t>;
    static_assert(known,
                  "AKGEN:DTYPE_UNSUPPORTED: AddDeqRelu does not take these dtypes on Ascend910B; supported (dst, src): "
                  "(half, int32_t)");
    return known;
}
} // namespace detail
template <typename T, typename U>
AKGEN_INLINE void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                             const int32_t &count)
{
    if constexpr (detail::AddDeqRelu_pair<T, U>()) {
        AddDeqRelu(detail::plain(dst), detail::plain(src0), detail::plain(src1), count);
    }
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                             uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    if constexpr (detail::AddDeqRelu_pair<T, U>()) {
        AddDeqRelu<isSetMask>(detail::plain(dst), detail::plain(src0), detail::plain(src1), mask, repeatTime,
                              repeatParams);
    }
}
template <typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                             uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    if constexpr (detail::AddDeqRelu_pair<T, U>()) {
        AddDeqRelu<isSetMask>(detail::plain(dst), detail::plain(src0), detail::plain(src1), mask, repeatTime,
                              repeatParams);
    }
}

} // namespace AscendC
