// DataCopy that changes the layout: slices of an array, and fractal columns that become rows.
#pragma once
#include "ascendc/copy.h"

namespace AscendC {

// -- slice form: a box of a row-major array, innermost dimension first ------------------------------------------------

namespace detail {
// One axis of a slice: elements or rows [startIndex, endIndex] of shapeValue, in bursts of
// burstLen blocks `stride` apart.
template <typename Dst, typename Src>
AKGEN_INLINE void copy_slices(const Dst &dst, const Src &src, const SliceInfo dstSlices[], const SliceInfo srcSlices[],
                              uint32_t dims, uint32_t element_bytes)
{
    uint32_t burst_elements = dstSlices[0].burstLen * ONE_BLK_SIZE / element_bytes;
    uint32_t bursts = (srcSlices[0].endIndex - srcSlices[0].startIndex + 1 + srcSlices[0].stride) /
                      (burst_elements + srcSlices[0].stride);
    const DataCopyParams params{static_cast<uint16_t>(bursts), static_cast<uint16_t>(dstSlices[0].burstLen),
                                static_cast<uint16_t>(srcSlices[0].stride * element_bytes / ONE_BLK_SIZE),
                                static_cast<uint16_t>(dstSlices[0].stride * element_bytes / ONE_BLK_SIZE)};
    uint32_t rows = 1;
    for (uint32_t d = 1; d < dims; ++d) {
        rows *= srcSlices[d].endIndex - srcSlices[d].startIndex + 1;
    }
    for (uint32_t row = 0; row < rows; ++row) {
        uint64_t dst_offset = dstSlices[0].startIndex;
        uint64_t src_offset = srcSlices[0].startIndex;
        uint64_t dst_pitch = dstSlices[0].shapeValue;
        uint64_t src_pitch = srcSlices[0].shapeValue;
        uint32_t rest = row;
        for (uint32_t d = 1; d < dims; ++d) {
            const uint32_t extent = srcSlices[d].endIndex - srcSlices[d].startIndex + 1;
            dst_offset += (dstSlices[d].startIndex + rest % extent) * dst_pitch;
            src_offset += (srcSlices[d].startIndex + rest % extent) * src_pitch;
            dst_pitch *= dstSlices[d].shapeValue;
            src_pitch *= srcSlices[d].shapeValue;
            rest /= extent;
        }
        DataCopy(dst[dst_offset], src[src_offset], params);
    }
}
} // namespace detail
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    detail::copy_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, sizeof(T));
}
template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    detail::copy_slices(dst, src, dstSliceInfo, srcSliceInfo, dimValue, sizeof(T));
}

// -- Nz2NdParamsFull: columns of 16 elements in the Unified Buffer become rows in global memory ---------------------

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
