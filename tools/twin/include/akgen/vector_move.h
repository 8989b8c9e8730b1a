// Runtime entry points that fill, spread, gather, reorder and drop elements, and change the order of axes.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

// Each of 8 elements per repeat fills a block of 32 bytes.
AKGEN_API void broadcast_blocks(DType type, View dst, View src, uint32_t repeat, uint32_t dst_block,
                                uint32_t dst_repeat);
// first, first + step, ...
AKGEN_API void progression_count(const char *api, DType type, View dst, double first, double step, int64_t count);
AKGEN_API void progression_repeat(DType type, View dst, double first, MaskArg mask, uint32_t repeat,
                                  const Strides &strides);
// Stretch the axes of length 1 of a tensor of `dims` axes.
AKGEN_API void broadcast_axes(DType type, View dst, View src, View work, const uint32_t *dst_shape,
                              const uint32_t *src_shape, uint32_t dims);

// dst[i] = the element at src + base + offsets[i] (bytes).
AKGEN_API void gather_count(DType type, View dst, View src, View offsets, uint32_t base, int64_t count);
AKGEN_API void gather_repeat(DType type, View dst, View src, View offsets, uint32_t base, MaskArg mask, uint32_t repeat,
                             uint32_t dst_repeat);
// Blocks of 32 bytes at offsets[8 * repeat + i].
AKGEN_API void gather_blocks(DType type, View dst, View src, View offsets, uint32_t repeat, uint32_t dst_block,
                             uint32_t dst_repeat);
// Pack the elements whose bit is set. `pattern` 1 to 7: a built-in one, else `bits` holds it. `counted`: `mask`
// elements of each repeat, else 256 bytes. Return how many there were.
AKGEN_API uint64_t gather_mask(DType type, View dst, View src, View bits, uint8_t pattern, bool counted, uint32_t mask,
                               uint32_t block_stride, uint32_t repeats, uint32_t src_repeat, uint32_t bits_repeat);
AKGEN_API int64_t gather_mask_rest();

// 16 x 16 elements of 2 bytes.
AKGEN_API void transpose_square(const char *api, View dst, View src);
// 16 rows given by address; rows are 32 bytes (16 elements of 2 bytes, 8 of 4, 32 of 1) and become columns.
AKGEN_API void transpose_lists(DType type, const uint64_t *dst, const uint64_t *src, bool dst_high, bool src_high,
                               uint32_t repeat, uint32_t dst_repeat, uint32_t src_repeat);
AKGEN_API void transpose_lists_from(DType type, View dst, View src, bool dst_high, bool src_high, uint32_t repeat,
                                    uint32_t dst_repeat, uint32_t src_repeat);
AKGEN_API void set_address_register(uint32_t number, const uint64_t *addresses);
AKGEN_API void transpose_registers(uint32_t dst, uint32_t src, uint32_t repeat, uint32_t dst_repeat,
                                   uint32_t src_repeat);
// Transpose with a shape: `kind` is AscendC::TransposeType as a number.
AKGEN_API void transpose_shape(DType type, View dst, View src, View work, uint32_t n, uint32_t c, uint32_t h,
                               uint32_t w, uint8_t kind);

// Runtime entry points that drop elements, pad rows and change the order of axes in the Unified Buffer.
// dst = src / keep where the mask says so, else 0. Rows of `columns` elements; a row's mask is `mask_columns` bytes,
// of which columns (`bits`: columns / 8) count.
AKGEN_API void drop_out(DType type, View dst, View src, View mask, View work, float keep, uint32_t rows,
                        uint32_t columns, uint32_t mask_columns, bool bits);
// Rows of `columns` elements, `valid` of which count, become rows of columns + right; the rest is `value`.
AKGEN_API void pad_rows(DType type, View dst, View src, View work, uint32_t rows, uint32_t columns, uint32_t valid,
                        uint32_t left, uint32_t right, int32_t value);
AKGEN_API void unpad_rows(DType type, View dst, View src, View work, uint32_t rows, uint32_t columns, uint32_t right);
// Axes b, n, s, d of the source's origin, or height and width; `kind` is AscendC::TransposeType as a number.
AKGEN_API void confusion_transpose(DType type, View dst, View src, View work, uint8_t kind, const uint32_t *axes);
// Axes n, c, d, h, w of 16-bit elements. `blocks`: fractals of 16 n x 16 c, else 16 c behind each other; `back`: from these
// to the plain order, in which h x w is filled up to 32 bytes.
AKGEN_API void trans_data(DType type, View dst, View src, View work, const uint32_t *axes, bool blocks, bool back);

} // namespace akgen::twin
