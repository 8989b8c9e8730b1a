// Reductions whose operation is a template argument: the newer names of those in vector_reduce.h.
#pragma once
#include "ascendc/vector_reduce.h"

namespace AscendC {

enum class ReduceType : uint8_t { SUM = 0, MAX, MIN };

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                               const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                               const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,
                  "AKGEN:DTYPE_UNSUPPORTED: ReduceRepeat takes dst and src of one type");
    if constexpr (reduceType == ReduceType::SUM) {
        WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    } else if constexpr (reduceType == ReduceType::MAX) {
        WholeReduceMax<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
    } else {
        WholeReduceMin<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
    }
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                               const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                               const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,
                  "AKGEN:DTYPE_UNSUPPORTED: ReduceRepeat takes dst and src of one type");
    if constexpr (reduceType == ReduceType::SUM) {
        WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    } else if constexpr (reduceType == ReduceType::MAX) {
        WholeReduceMax<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
    } else {
        WholeReduceMin<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
    }
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                  const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                  const int32_t srcRepStride)
{
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,
                  "AKGEN:DTYPE_UNSUPPORTED: ReduceDataBlock takes dst and src of one type");
    if constexpr (reduceType == ReduceType::SUM) {
        BlockReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    } else if constexpr (reduceType == ReduceType::MAX) {
        BlockReduceMax<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    } else {
        BlockReduceMin<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    }
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                                  const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                  const int32_t srcRepStride)
{
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,
                  "AKGEN:DTYPE_UNSUPPORTED: ReduceDataBlock takes dst and src of one type");
    if constexpr (reduceType == ReduceType::SUM) {
        BlockReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    } else if constexpr (reduceType == ReduceType::MAX) {
        BlockReduceMax<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    } else {
        BlockReduceMin<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
    }
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[],
                                 const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                 const int32_t srcRepStride)
{
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,
                  "AKGEN:DTYPE_UNSUPPORTED: ReducePairElem takes dst and src of one type");
    static_assert(reduceType == ReduceType::SUM, "AKGEN:WRONG_ARGUMENTS: ReducePairElem adds only: ReduceType::SUM");
    PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
AKGEN_INLINE void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask,
                                 const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                 const int32_t srcRepStride)
{
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,
                  "AKGEN:DTYPE_UNSUPPORTED: ReducePairElem takes dst and src of one type");
    static_assert(reduceType == ReduceType::SUM, "AKGEN:WRONG_ARGUMENTS: ReducePairElem adds only: ReduceType::SUM");
    PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
}

} // namespace AscendC
