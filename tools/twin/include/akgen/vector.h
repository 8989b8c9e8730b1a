// Runtime entry points of the vector instructions: element-wise ones, comparisons and Select, reductions, what fills, spreads,
// gathers, reorders and drops elements and changes the order of axes, and sorting.
//
// The wrappers in ascendc/vector_*.h resolve dtypes and forms and call these; one call is one hardware instruction on pipe V.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

enum class VecOp : uint8_t {
#define AKGEN_UNARY(Name, ...) Name,
#define AKGEN_BINARY(Name, ...) Name,
#define AKGEN_SCALAR(Name, ...) Name,
#define AKGEN_VARIANT(Row, ...) Row,
#include "akgen/tables/vector.def"
    COUNT,
};

// How a call says which lanes of a repeat take part.
enum class MaskForm : uint8_t {
    BITS,     // lo, hi: one bit per lane
    LENGTH,   // lo: the first `lo` lanes of each repeat (in counter mode: of the whole instruction)
    REGISTER, // isSetMask = false: what SetVectorMask left
};
struct MaskArg {
    uint64_t lo, hi;
    MaskForm form;
};
// In blocks of 32 bytes. Order: destination, first source, second source.
struct Strides {
    uint16_t block[3];
    uint16_t repeat[3];
};

// `type` is the type of the sources; `scalar` holds the bit pattern of the scalar operand. Absent operands are {}.
AKGEN_API void vector_count(VecOp op, DType type, View dst, View src0, View src1, uint64_t scalar, int64_t count);
AKGEN_API void vector_repeat(VecOp op, DType type, View dst, View src0, View src1, uint64_t scalar, MaskArg mask,
                             uint32_t repeat, const Strides &strides);

// `round` is AscendC::RoundMode as a number.
AKGEN_API void cast_count(DType to, DType from, View dst, View src, uint8_t round, int64_t count);
AKGEN_API void cast_repeat(DType to, DType from, View dst, View src, uint8_t round, MaskArg mask, uint32_t repeat,
                           const Strides &strides);
AKGEN_API void set_deq_scale(float scale);
// Of arithmetic and conversions: whether half and bfloat16_t, and whether integers of Cast, end at their largest numbers.
AKGEN_API void set_saturation(bool of_casts, bool on);
AKGEN_API bool saturation(bool of_casts);
// Scale, offset and sign for narrowing int16: one of each, or 16 words of them that repeat (scale in the low half, then
// 5 bits, 9 bits of offset, the sign).
AKGEN_API void set_deq(float scale, int16_t offset, bool is_signed);
AKGEN_API void set_deq_table(View table);
// int16 to int8 or uint8: 16 elements fill one half of a block of 32 bytes, the other half stays.
AKGEN_API void narrow_count(DType to, View dst, View src, bool table, bool upper, int64_t count);
AKGEN_API void narrow_repeat(DType to, View dst, View src, bool table, bool upper, MaskArg mask, uint32_t repeat,
                             const Strides &strides);

// The mask register of this core (SetMaskNorm, SetMaskCount, SetVectorMask, ResetMask).
AKGEN_API void mask_mode(bool counter);
AKGEN_API void mask_bits(uint64_t hi, uint64_t lo);
AKGEN_API void mask_length(uint64_t length, DType type, bool counter);

// AscendC::CMPMODE
enum class CompareMode : uint8_t {
#define AKGEN_CMPMODE(Mode, symbol) Mode,
#include "akgen/tables/compare.def"
    COUNT,
};

// Warn COMPARE_MASK: the destination has elements that are no bits.
AKGEN_API void compare_into(DType dst);
// `mode` is AscendC::CMPMODE as a number. One bit per element, least significant first.
AKGEN_API void compare_count(DType type, View dst, View src0, View src1, uint8_t mode, int64_t count);
AKGEN_API void compare_repeat(DType type, View dst, View src0, View src1, uint8_t mode, MaskArg mask, uint32_t repeat,
                              const Strides &strides);
AKGEN_API void compare_scalar_count(DType type, View dst, View src, uint64_t scalar, uint8_t mode, int64_t count);
AKGEN_API void compare_scalar_repeat(DType type, View dst, View src, uint64_t scalar, uint8_t mode, MaskArg mask,
                                     uint32_t repeat, const Strides &strides);
// Into the comparison register, one repeat.
AKGEN_API void compare_register(DType type, View src0, View src1, uint8_t mode, MaskArg mask, const Strides &strides);
AKGEN_API void get_compare_mask(View dst);
AKGEN_API void set_compare_mask(View src);

// `mode` is AscendC::SELMODE as a number. Where a bit is 1 src0 is taken, else src1 or the scalar.
AKGEN_API void select_count(DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
                            bool scalar_form, int64_t count);
AKGEN_API void select_repeat(DType type, View dst, View bits, View src0, View src1, uint64_t scalar, uint8_t mode,
                             bool scalar_form, MaskArg mask, uint32_t repeat, const Strides &strides);
// The comparison register holds the bits (VSEL_CMPMASK_SPR), the scalar (VSEL_TENSOR_SCALAR_MODE) or the low half of the
// address of the bits (VSEL_TENSOR_TENSOR_MODE).
AKGEN_API void select_register(DType type, View dst, View bits, View src0, View src1, uint8_t mode, uint32_t repeat,
                               const Strides &strides);

// dst = flags[i] ? src1 : src0; one source is a scalar (its View is then {}). Rows of `mask_last` flags, `flag_bytes`
// wide, hold `src_last` meaningful ones.
AKGEN_API void select_bytes(DType type, View dst, View src0, View src1, uint64_t scalar, View flags,
                            uint32_t flag_bytes, View work, uint32_t first, uint32_t src_last, uint32_t mask_last);

enum class Reduce : uint8_t { MAX, MIN, SUM, COUNT }; // AscendC::ReduceMode as a number

// One result per repeat. `order` is AscendC::ReduceOrder; SUM has one value per repeat. Strides in the API's units.
AKGEN_API void reduce_whole(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                            int64_t src_block, int64_t src_repeat, uint8_t order);
AKGEN_API void reduce_whole_as(const char *api, Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat,
                               int64_t dst_repeat, int64_t src_block, int64_t src_repeat);
// One result per block of 32 bytes, one result per pair of neighbours.
AKGEN_API void reduce_block(Reduce op, DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                            int64_t src_block, int64_t src_repeat);
AKGEN_API void reduce_pair(DType type, View dst, View src, MaskArg mask, int64_t repeat, int64_t dst_repeat,
                           int64_t src_block, int64_t src_repeat);
// One result for all: count form, and mask/repeat form. `index`: dst[1] receives the index's bit pattern.
AKGEN_API void reduce_count(Reduce op, DType type, View dst, View src, View work, int64_t count, bool index);
AKGEN_API void reduce_repeat(Reduce op, DType type, View dst, View src, View work, MaskArg mask, int64_t repeat,
                             int64_t src_repeat, bool index);
// Sum of all repeats into the accumulator register.
AKGEN_API void reduce_accumulate(DType type, View src, MaskArg mask, int64_t repeat, int64_t src_block,
                                 int64_t src_repeat);
AKGEN_API uint64_t accumulator();
AKGEN_API void last_extreme(uint64_t &value, uint64_t &index);

// Rows of `last` elements (`first` of them): along the last axis (AR) or along the first (RA).
AKGEN_API void reduce_pattern(Reduce op, DType type, View dst, View src, View work, uint32_t first, uint32_t last,
                              bool rows, bool mean);
enum class Fold : uint8_t { PROD, ANY, ALL, COUNT };
AKGEN_API void reduce_fold(Fold op, DType type, View dst, View src, View work, uint32_t first, uint32_t last,
                           bool rows);
// dst[0] = the sum of src0 ^ src1 over `count` elements of int16_t.
AKGEN_API void reduce_xor_sum(View dst, View src0, View src1, View work, int64_t count);
// Sum: `outer` rows, `inner` elements apart, of which `n` count; one result per row, side by side.
AKGEN_API void sum_rows(const char *api, DType type, View dst, View src, View work, uint32_t outer, uint32_t inner,
                        uint32_t n, float scale);

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

// Sorting. A record is a score with its companion: 8 bytes (score, index) for the instructions of this chip, 16 bytes (a
// region proposal of 8 halfs, the score is number 4) for those of older chips.

struct MergeLists {
    View list[4];
    uint16_t length[4]; // in records
    uint16_t valid;     // 0b11, 0b111 or 0b1111
    uint8_t repeat;
    bool suspend; // stop when one list is used up
};
// 32 scores and 32 indices per repeat to 32 records, largest score first.
AKGEN_API void sort_records(DType type, View dst, View scores, View indices, int64_t repeat);
// Merge up to four sorted lists; `taken` receives how many records came from each.
AKGEN_API void merge_records(DType type, bool proposals, View dst, const MergeLists &lists, uint32_t *taken);
AKGEN_API void last_merge(uint16_t *taken);
// Sort 32 * repeat records as a whole or 32 at a time, from scores and indices.
AKGEN_API void sort_all(DType type, View dst, View scores, View indices, View work, int64_t repeat, bool whole);
AKGEN_API void extract_records(DType type, View values, View indices, View records, int64_t repeat);

// Region proposals: 16 per repeat.
AKGEN_API void proposal_field(View proposals, View values, int64_t repeat, int32_t field, bool write);
AKGEN_API void sort_proposals(View dst, View src, int64_t repeat);

// Per row of `inner` values, of which n count: the k largest (or smallest), sorted, with their indices.
struct TopK {
    DType type;
    View values, indices, src, src_indices, finished, work;
    int32_t k;
    int32_t outer, inner, n;
    bool init_index; // src_indices are given, the same for every row
    bool has_finished;
    bool largest;
};
AKGEN_API void top_k(const TopK &call);

} // namespace akgen::twin
