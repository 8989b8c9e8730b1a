// CumSum, Axpy with a temporary buffer, Xor.
#pragma once
#include "ascendc/vector_math.h"

namespace AscendC {
template <typename T, typename U, bool isReuseSource = false>
AKGEN_INLINE void Axpy(const LocalTensor<T> &dstTensor, const LocalTensor<U> &srcTensor, const U scalarValue,
                       const LocalTensor<uint8_t> &, const uint32_t calCount)
{
    Axpy(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount));
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis = true;
    bool isReuseSource = false;
    bool outputLastRow = false;
    CumSumAlgorithm algorithm = CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE; // read by later chips only
};
struct CumSumInfo {
    uint32_t outter = 0;
    uint32_t inner = 0;
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

template <typename T, const CumSumConfig &config = defaultCumSumConfig>
AKGEN_INLINE void CumSum(LocalTensor<T> &dstTensor, LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,
                         LocalTensor<uint8_t> &sharedTmpBuffer, const CumSumInfo &cumSumInfo)
{
    detail::CumSum_takes<T>();
    akgen::twin::cumulative_sum(detail::dtype_of<T>(), detail::view(dstTensor),
                                config.outputLastRow ? detail::view(lastRowTensor) : akgen::twin::View{},
                                detail::view(srcTensor), detail::view(sharedTmpBuffer), cumSumInfo.outter,
                                cumSumInfo.inner, config.isLastAxis);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
AKGEN_INLINE void CumSum(LocalTensor<T> &dstTensor, LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,
                         const CumSumInfo &cumSumInfo)
{
    detail::CumSum_takes<T>();
    akgen::twin::cumulative_sum(detail::dtype_of<T>(), detail::view(dstTensor),
                                config.outputLastRow ? detail::view(lastRowTensor) : akgen::twin::View{},
                                detail::view(srcTensor), {}, cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis);
}

// Xor.
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor),
                           detail::view(src1Tensor), detail::view(sharedTmpBuffer), calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor, const uint32_t calCount)
{
    detail::Xor_takes<T>();
    akgen::twin::xor_count(detail::dtype_of<T>(), detail::view(dstTensor), detail::view(src0Tensor),
                           detail::view(src1Tensor), {}, calCount);
}
template <typename T, bool isReuseSource = false>
AKGEN_INLINE void Xor(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                      const LocalTensor<T> &src1Tensor)
{
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}

} // namespace AscendC
