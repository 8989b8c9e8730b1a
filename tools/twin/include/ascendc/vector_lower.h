// Names under which some public kernels reach the level below the API, and operands given as plain addresses.
#pragma once
#include "ascendc/vector_fill.h"
#include "ascendc/vector_transpose.h"

namespace AscendC {
namespace detail {
AKGEN_INLINE akgen::twin::View raw(const void *address)
{
    return akgen::twin::View{static_cast<uint8_t *>(const_cast<void *>(address)), 0};
}
} // namespace detail

template <typename T>
AKGEN_INLINE void TransDataTo5HDImpl(__ubuf__ T *dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                     __ubuf__ T *srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                     const TransDataTo5HDParams &nchwconvParams)
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uint64_t>(dstList[i]);
        src[i] = reinterpret_cast<uint64_t>(srcList[i]);
    }
    TransDataTo5HD<T>(dst, src, nchwconvParams);
}
template <typename T> AKGEN_INLINE void DuplicateImpl(__ubuf__ T *dst, const T scalarValue, const int32_t count)
{
    detail::Duplicate_takes<T>();
    akgen::twin::vector_count(akgen::twin::VecOp::Duplicate, detail::dtype_of<T>(), detail::raw(dst), {}, {},
                              detail::bits(scalarValue), count);
}

// The name that Broadcast had first.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AKGEN_INLINE void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
                            const uint32_t srcShape[dim], LocalTensor<uint8_t> &sharedTmpBuffer)
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, sharedTmpBuffer);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AKGEN_INLINE void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
                            const uint32_t srcShape[dim])
{
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape);
}

} // namespace AscendC
