// DataCopy that changes the layout: slices of an array, and fractal columns that become rows.
#pragma once
#include "ascendc/copy.h"

namespace AscendC {

// -- slice form: a box of a row-major array, innermost dimension first ------------------------------------------------

namespace detail {
// One axis of a slice: of [startIndex, endIndex] of shapeValue elements in bursts of burstLen blocks, or of single rows, that
// are `stride` apart. Element `index` of the slice's rows begins at:
AKGEN_INLINE uint64_t slice_row(const SliceInfo slices[], uint32_t dims, uint32_t index)
{
    uint64_t offset = slices[0].startIndex, pitch = slices[0].shapeValue;
    for (uint32_t d = 1; d < dims; ++d) {
        const SliceInfo &s = slices[d];
        const uint32_t apart = s.stride + 1, count = (s.endIndex - s.startIndex + apart) / apart;
        offset += (s.startIndex + index % count * apart) * pitch;
        pitch *= s.shapeValue;
        index /= count;
    }
    return offset;
}
template <typename Copy>
AKGEN_INLINE void copy_slices(const SliceInfo dst[], const SliceInfo src[], uint32_t dims, uint32_t element_bytes,
                              const Copy &copy)
{
    const uint32_t burst = dst[0].burstLen * ONE_BLK_SIZE, elements = burst / element_bytes;
    const Rows bursts = {(src[0].endIndex - src[0].startIndex + 1 + src[0].stride) / (elements + src[0].stride), burst,
                         static_cast<int64_t>(burst) + dst[0].stride * element_bytes,
                         static_cast<int64_t>(burst) + src[0].stride * element_bytes};
    uint32_t rows = 1;
    for (uint32_t d = 1; d < dims; ++d) {
        rows *= (src[d].endIndex - src[d].startIndex + src[d].stride + 1) / (src[d].stride + 1);
    }
    for (uint32_t row = 0; row < rows; ++row) {
        copy(slice_row(dst, dims, row), slice_row(src, dims, row), bursts);
    }
}
} // namespace detail
template <typename T>
AKGEN_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    const auto copy = [&](uint64_t to, uint64_t from, const detail::Rows &bursts) {
        akgen::twin::copy_in_rows(detail::view(dst[to]), detail::position(dst), detail::address(src[from]), bursts,
                                  detail::dtype_of<T>());
    };
    detail::copy_slices(dstSliceInfo, srcSliceInfo, dimValue, sizeof(T), copy);
}
template <typename T>
AKGEN_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSliceInfo[],
                           const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    const auto copy = [&](uint64_t to, uint64_t from, const detail::Rows &bursts) {
        akgen::twin::copy_out_rows(detail::address(dst[to]), detail::view(src[from]), detail::position(src), bursts,
                                   detail::dtype_of<T>());
    };
    detail::copy_slices(dstSliceInfo, srcSliceInfo, dimValue, sizeof(T), copy);
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
