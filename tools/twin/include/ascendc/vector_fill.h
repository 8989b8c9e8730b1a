// Duplicate, Brcb, index sequences, Broadcast.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
namespace detail {
AKGEN_TAKES(Duplicate, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float)
} // namespace detail

template <typename T> AKGEN_INLINE void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, const int32_t &count)
{
    detail::Duplicate_takes<T>();
    akgen::twin::vector_count(akgen::twin::VecOp::Duplicate, detail::dtype_of<T>(), detail::view(dst), {}, {},
                              detail::bits(scalarValue), count);
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, uint64_t mask[], const uint8_t repeatTime,
                            const uint16_t dstBlockStride, const uint8_t dstRepeatStride)
{
    detail::Duplicate_takes<T>();
    akgen::twin::vector_repeat(akgen::twin::VecOp::Duplicate, detail::dtype_of<T>(), detail::view(dst), {}, {},
                               detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), repeatTime,
                               {{dstBlockStride, 1, 1}, {dstRepeatStride, 0, 0}});
}
template <typename T, bool isSetMask = true>
AKGEN_INLINE void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, uint64_t mask, const uint8_t repeatTime,
                            const uint16_t dstBlockStride, const uint8_t dstRepeatStride)
{
    detail::Duplicate_takes<T>();
    akgen::twin::vector_repeat(akgen::twin::VecOp::Duplicate, detail::dtype_of<T>(), detail::view(dst), {}, {},
                               detail::bits(scalarValue), detail::mask_of<isSetMask>(mask), repeatTime,
                               {{dstBlockStride, 1, 1}, {dstRepeatStride, 0, 0}});
}

// Of tensors with a trait the scalar has the stored type.
template <typename T, typename = detail::IfTrait<T>>
AKGEN_INLINE void Duplicate(const LocalTensor<T> &dst, const PrimT<T> &scalarValue, const int32_t &count)
{
    Duplicate(detail::plain(dst), scalarValue, count);
}

template <typename T>
AKGEN_INLINE void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t repeatTime,
                       const BrcbRepeatParams &repeatParams)
{
    detail::Brcb_takes<T>();
    akgen::twin::broadcast_blocks(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), repeatTime,
                                  repeatParams.dstBlkStride, repeatParams.dstRepStride);
}

template <typename T> AKGEN_INLINE void CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint32_t count)
{
    detail::CreateVecIndex_takes<T>();
    akgen::twin::progression_count("CreateVecIndex", detail::dtype_of<T>(), detail::view(dst),
                                   static_cast<double>(firstValue), 1.0, count);
}
template <typename T>
AKGEN_INLINE void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask[], uint8_t repeatTime,
                                 uint16_t dstBlkStride, uint8_t dstRepStride)
{
    detail::CreateVecIndex_takes<T>();
    akgen::twin::progression_repeat(detail::dtype_of<T>(), detail::view(dst), static_cast<double>(firstValue),
                                    detail::mask_of<true>(mask), repeatTime,
                                    {{dstBlkStride, 1, 1}, {dstRepStride, 0, 0}});
}
template <typename T>
AKGEN_INLINE void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask, uint8_t repeatTime,
                                 uint16_t dstBlkStride, uint8_t dstRepStride)
{
    detail::CreateVecIndex_takes<T>();
    akgen::twin::progression_repeat(detail::dtype_of<T>(), detail::view(dst), static_cast<double>(firstValue),
                                    detail::mask_of<true>(mask), repeatTime,
                                    {{dstBlkStride, 1, 1}, {dstRepStride, 0, 0}});
}
template <typename T>
AKGEN_INLINE void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
                                   const int32_t count)
{
    detail::ArithProgression_takes<T>();
    akgen::twin::progression_count("ArithProgression", detail::dtype_of<T>(), detail::view(dst),
                                   static_cast<double>(firstValue), static_cast<double>(diffValue), count);
}
template <typename T>
AKGEN_INLINE void Arange(const LocalTensor<T> &dst, const T firstValue, const T diffValue, const int32_t count)
{
    detail::Arange_takes<T>();
    akgen::twin::progression_count("Arange", detail::dtype_of<T>(), detail::view(dst), static_cast<double>(firstValue),
                                   static_cast<double>(diffValue), count);
}

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AKGEN_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
                            const uint32_t srcShape[dim], LocalTensor<uint8_t> &sharedTmpBuffer)
{
    detail::Broadcast_takes<T>();
    static_assert(dim == 1 || dim == 2, "Broadcast takes one or two axes");
    static_assert(axis == 0 || axis == 1, "Broadcast stretches axis 0 or axis 1");
    akgen::twin::broadcast_axes(detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                                detail::view(sharedTmpBuffer), dstShape, srcShape, dim);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AKGEN_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
                            const uint32_t srcShape[dim])
{
    detail::Broadcast_takes<T>();
    static_assert(dim == 1 || dim == 2, "Broadcast takes one or two axes");
    static_assert(axis == 0 || axis == 1, "Broadcast stretches axis 0 or axis 1");
    akgen::twin::broadcast_axes(detail::dtype_of<T>(), detail::view(dst), detail::view(src), {}, dstShape, srcShape,
                                dim);
}

} // namespace AscendC
