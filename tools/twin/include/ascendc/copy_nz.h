// DataCopy with Nz2NdParamsFull: columns of 16 elements in the Unified Buffer become rows in global memory.
#pragma once
#include "ascendc/copy.h"

namespace AscendC {

struct Nz2NdParamsFull {
    uint16_t ndNum = 1;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 1; // in 256 elements
    uint16_t srcNStride = 0;        // in 16 elements
    uint16_t dstDStride = 0;
    uint16_t dstNdMatrixStride = 1;

    constexpr Nz2NdParamsFull() {}
    constexpr Nz2NdParamsFull(uint16_t number, uint16_t rows, uint16_t columns, uint16_t src_matrix,
                              uint16_t src_column, uint16_t dst_row, uint16_t dst_matrix)
        : ndNum(number), nValue(rows), dValue(columns), srcNdMatrixStride(src_matrix), srcNStride(src_column),
          dstDStride(dst_row), dstNdMatrixStride(dst_matrix)
    {
    }
};

template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &intriParams)
{
    constexpr uint32_t run = BLOCK_CUBE * sizeof(PrimT<T>);
    const Nz2NdParamsFull &p = intriParams;
    for (uint32_t matrix = 0; matrix < p.ndNum; ++matrix) {
        for (uint32_t column = 0; column * BLOCK_CUBE < p.dValue; ++column) {
            const uint64_t to = static_cast<uint64_t>(matrix) * p.dstNdMatrixStride + column * BLOCK_CUBE;
            const LocalTensor<T> from =
                src[matrix * p.srcNdMatrixStride * CUBE_MAX_SIZE + column * p.srcNStride * BLOCK_CUBE];
            akgen::twin::pad_out(detail::address(dst[to]), detail::view(from), detail::position(from),
                                 {p.nValue, run, static_cast<int64_t>(p.dstDStride * sizeof(PrimT<T>)), run},
                                 detail::dtype_of<T>());
        }
    }
}

} // namespace AscendC
