// BilinearInterpolation: blocks that offsets name, each times a weight, and sums of them. The vendor's is made of the same
// four instructions in the same temporary memory.
#pragma once
#include "ascendc/vector_arithmetic.h"
#include "ascendc/vector_fill.h"
#include "ascendc/vector_gather.h"

namespace AscendC {

// `mask` is one number or an array of two words, as of Add.
template <typename T, typename Mask>
AKGEN_INLINE void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                        const LocalTensor<uint32_t> &src0Offset, const LocalTensor<T> &src1, Mask mask,
                                        uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                                        uint8_t vRepeat, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    static_assert(std::is_same_v<PrimT<T>, half>,
                  "AKGEN:DTYPE_UNSUPPORTED: BilinearInterpolation takes half on Ascend910B");
    constexpr uint32_t lanes = 128;
    const uint32_t total = uint32_t{hRepeat} * vRepeat, weights = repeatMode ? total * 8 : total;
    const LocalTensor<T> blocks = sharedTmpBuffer.template ReinterpretCast<T>(), spread = blocks[total * lanes];
    Gatherb(blocks, src0, src0Offset, static_cast<uint8_t>(total), {1, 8});
    Brcb(spread, src1, static_cast<uint8_t>((weights + 7) / 8), {1, 8});
    Mul(blocks, blocks, spread, mask, static_cast<uint8_t>(total),
        {1, 1, static_cast<uint8_t>(repeatMode ? 1 : 0), 8, 8, static_cast<uint8_t>(repeatMode ? 8 : 1)});
    for (uint32_t v = 0; v < vRepeat; ++v) {
        const LocalTensor<T> sums = dst[v * vROffset], products = blocks[v * hRepeat * lanes];
        const uint8_t apart = static_cast<uint8_t>(dstBlkStride);
        if (hRepeat == 1) {
            Adds(sums, products, static_cast<T>(0), mask, 1, {dstBlkStride, 1, 8, 8});
            continue;
        }
        Add(sums, products, products[lanes], mask, 1, {apart, 1, 1, 8, 8, 8});
        for (uint32_t h = 2; h < hRepeat; ++h) {
            Add(sums, sums, products[h * lanes], mask, 1, {apart, apart, 1, 8, 8, 8});
        }
    }
}

} // namespace AscendC
