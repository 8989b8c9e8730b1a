// Gather, Gatherb, GatherMask.
#pragma once
#include "akgen/vector.h"
#include "ascendc/vector_dtypes.h"

namespace AscendC {
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V1;

template <typename T>
AKGEN_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
                         const uint32_t srcBaseAddr, const uint32_t count)
{
    detail::Gather_takes<T>();
    akgen::twin::gather_count(detail::dtype_of<T>(), detail::view(dst), detail::view(src), detail::view(srcOffset),
                              srcBaseAddr, count);
}
template <typename T>
AKGEN_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
                         const uint32_t srcBaseAddr, const uint64_t mask[], const uint8_t repeatTime,
                         const uint16_t dstRepStride)
{
    detail::Gather_takes<T>();
    akgen::twin::gather_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src), detail::view(srcOffset),
                               srcBaseAddr, detail::mask_of<true>(mask), repeatTime, dstRepStride);
}
template <typename T>
AKGEN_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
                         const uint32_t srcBaseAddr, const uint64_t mask, const uint8_t repeatTime,
                         const uint16_t dstRepStride)
{
    detail::Gather_takes<T>();
    akgen::twin::gather_repeat(detail::dtype_of<T>(), detail::view(dst), detail::view(src), detail::view(srcOffset),
                               srcBaseAddr, detail::mask_of<true>(mask), repeatTime, dstRepStride);
}
template <typename T>
AKGEN_INLINE void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &offset,
                          const uint8_t repeatTime, const GatherRepeatParams &repeatParams)
{
    detail::Gatherb_takes<T>();
    akgen::twin::gather_blocks(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), detail::view(offset),
                               repeatTime, repeatParams.dstBlkStride, repeatParams.dstRepStride);
}

template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
AKGEN_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
                             const bool reduceMode, const uint32_t mask, const GatherMaskParams &gatherMaskParams,
                             uint64_t &rsvdCnt)
{
    detail::GatherMask_takes<T>();
    static_assert(
        std::is_same_v<U, std::conditional_t<sizeof(PrimT<T>) == 2, uint16_t, uint32_t>>,
        "AKGEN:DTYPE_UNSUPPORTED: the pattern of GatherMask is uint16_t for 16-bit and uint32_t for 32-bit elements");
    rsvdCnt = akgen::twin::gather_mask(detail::dtype_of<T>(), detail::view(dst), detail::view(src0),
                                       detail::view(src1Pattern), 0, reduceMode, mask, gatherMaskParams.src0BlockStride,
                                       gatherMaskParams.repeatTimes, gatherMaskParams.src0RepeatStride,
                                       gatherMaskParams.src1RepeatStride);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
AKGEN_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern,
                             const bool reduceMode, const uint32_t mask, const GatherMaskParams &gatherMaskParams,
                             uint64_t &rsvdCnt)
{
    detail::GatherMask_takes<T>();
    rsvdCnt = akgen::twin::gather_mask(detail::dtype_of<T>(), detail::view(dst), detail::view(src0), {}, src1Pattern,
                                       reduceMode, mask, gatherMaskParams.src0BlockStride, gatherMaskParams.repeatTimes,
                                       gatherMaskParams.src0RepeatStride, gatherMaskParams.src1RepeatStride);
}
AKGEN_INLINE int64_t GetGatherMaskRemainCount() { return akgen::twin::gather_mask_rest(); }

} // namespace AscendC
