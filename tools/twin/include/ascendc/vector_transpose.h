// Transpose and TransDataTo5HD.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct TransDataTo5HDParams {
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;

    constexpr TransDataTo5HDParams() {}
    constexpr TransDataTo5HDParams(const bool dst_high, const bool src_high, const uint8_t times,
                                   const uint16_t dst_rep, const uint16_t src_rep)
        : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(times), dstRepStride(dst_rep), srcRepStride(src_rep)
    {
    }
};

template <typename T> AKGEN_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
    detail::Transpose_takes<T>();
    akgen::twin::transpose_square("Transpose", detail::view(dst), detail::view(src));
}

template <typename T>
AKGEN_INLINE void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                 const TransDataTo5HDParams &nchwconvParams)
{
    detail::TransDataTo5HD_takes<T>();
    akgen::twin::transpose_lists(detail::dtype_of<T>(), dstList, srcList, nchwconvParams.dstHighHalf,
                                 nchwconvParams.srcHighHalf, nchwconvParams.repeatTimes, nchwconvParams.dstRepStride,
                                 nchwconvParams.srcRepStride);
}
template <typename T>
AKGEN_INLINE void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                                 const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                                 const TransDataTo5HDParams &nchwconvParams)
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uint64_t>(dstList[i].GetPhyAddr());
        src[i] = reinterpret_cast<uint64_t>(srcList[i].GetPhyAddr());
    }
    TransDataTo5HD<T>(dst, src, nchwconvParams);
}
template <typename T>
AKGEN_INLINE void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                                 const TransDataTo5HDParams &nchwconvParams)
{
    detail::TransDataTo5HD_takes<T>();
    akgen::twin::transpose_lists_from(detail::dtype_of<T>(), detail::view(dst), detail::view(src),
                                      nchwconvParams.dstHighHalf, nchwconvParams.srcHighHalf,
                                      nchwconvParams.repeatTimes, nchwconvParams.dstRepStride,
                                      nchwconvParams.srcRepStride);
}

} // namespace AscendC
