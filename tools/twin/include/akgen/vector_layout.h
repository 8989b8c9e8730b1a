// Runtime entry points that drop elements, pad rows and change the order of axes in the Unified Buffer.
#pragma once
#include "akgen/vector.h"

namespace akgen::twin {

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

} // namespace akgen::twin
