// Runtime entry points of the cube core: fractal loads, the matrix multiplication, the way out of L0C; and the high-level
// matrix product, of which one call computes one block of C on real memory.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

// Copies of row-major matrices into the fractal order of L1. Counts and strides as in
// Nd2NzParams, `element_bytes` wide.
struct NdToNz {
    uint32_t matrices, rows, columns;
    uint64_t src_matrix_stride, src_row_stride; // elements
    uint64_t dst_column_stride, dst_row_stride; // 32-byte blocks: from C0 column to C0 column, from row to row
    uint64_t dst_matrix_stride;                 // elements
};
AKGEN_API void nd_to_nz(View dst, const uint8_t *src, const NdToNz &p, DType dtype);

// `repeats` fractals of 512 bytes. Strides from start to start, in fractals; the gap from end to start.
struct Fractals {
    uint32_t start, repeats, src_stride, dst_gap;
    bool transpose, downwards;
};
AKGEN_API void load_fractals(View dst, View src, const Fractals &p, DType dtype);
AKGEN_API void load_fractals_global(View dst, const uint8_t *src, const Fractals &p, DType dtype);
// Square matrices of one fractal (16-bit), two, or four (4-bit): transposed, and split again,
// `between` from one to the next.
struct Squares {
    uint32_t start, repeats, src_stride, dst_gap, between;
    bool downwards;
};
AKGEN_API void load_squares(View dst, View src, const Squares &p, DType dtype);

// `repeats` fractals of int8_t from L1 to L0B, and as many tables of 16 x 32 indices of two bits, 128 bytes each, to the
// memory that multiplications with `sparse` read beside L0B.
AKGEN_API void load_sparse(View dst, View src, View indices, uint32_t start, uint32_t repeats);

// A window of the matrix that an image becomes for a convolution (LoadData3DParamsV2).
struct Image {
    uint32_t height, width, channels;
    uint32_t pad_left, pad_right, pad_top, pad_bottom;
    uint32_t k_extent, m_extent, k_start, m_start;
    uint32_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
    bool transpose;
    uint64_t pad_value; // bits of one element
};
// `own_shape`, `own_padding`: the image's size and borders, and the padding value, are in `p`; else in registers.
AKGEN_API void load_image(View dst, View src, const Image &p, bool own_shape, bool own_padding, DType dtype);
AKGEN_API void image_shape(uint32_t height, uint32_t width, const uint8_t *pads); // left, right, top, bottom
AKGEN_API void image_padding(uint64_t value);
// Parts of that matrix, `stride` fractals apart from begin to begin: along m, or along k.
struct ImageRepeat {
    uint32_t times, stride;
    bool along_k;
};
AKGEN_API void image_repeat(ImageRepeat repeat);
AKGEN_API void image_boundary(uint32_t value); // bytes of L1 after which reading begins at 0 again; 0: none

// `repeats` runs of `blocks` units (32 bytes in L1, 512 in L0A and L0B) of one value, `gap` units apart.
AKGEN_API void fill_cube(View dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t value, DType dtype);

struct Multiply {
    uint32_t m, n, k;
    bool start_at_zero; // else L0C goes on
    bool with_bias;     // start from `bias`, one row
    bool from_table;    // start from the row at the beginning of the bias table
    uint8_t unit_flag;
    bool align_k;        // float: A has an even number of fractals along k
    bool no_vector;      // a matrix of one row keeps the fractal order
    bool sparse = false; // B holds two of every four values along k, which load_sparse's indices place
};
// HF32, in which products of floats keep 11 bits of each factor's fraction: rounded to the nearest,
// ties to even or away from 0.
AKGEN_API void multiply_in_hf32(bool on);
AKGEN_API void round_hf32_away(bool away);
AKGEN_API void multiply(View c, View a, View b, View bias, const Multiply &p, DType c_type, DType a_type, DType b_type);

// AscendC's QuantMode_t by value.
struct Fix {
    uint32_t n, m, src_stride; // stride of 16-column fractals of L0C, in rows of 16 elements
    uint64_t dst_stride;       // row-major: elements; fractal order: 32-byte blocks
    uint32_t matrices, src_matrix_stride, dst_matrix_stride;
    uint8_t quant, unit_flag;
    bool relu, row_major, split_channels;
    uint64_t scale;
};
AKGEN_API void fix_out(uint8_t *dst, View src, View scales, const Fix &p, DType dst_type, DType src_type);
AKGEN_API void fix_to_l1(View dst, View src, View scales, const Fix &p, DType dst_type, DType src_type);
// Settings of the older form, which DataCopy from L0C uses.
AKGEN_API void fix_scale(uint64_t scale);
AKGEN_API void fix_scales(View scales);
AKGEN_API void fix_matrices(uint32_t matrices, uint32_t src_stride, uint32_t dst_stride);
AKGEN_API void fix_legacy(uint8_t *dst, View src, Fix p, DType dst_type, DType src_type);
AKGEN_API void fix_legacy_to_l1(View dst, View src, Fix p, DType dst_type, DType src_type);

// A stored matrix: rows of `stride` elements, or 16 x C0 fractals column by column with
// `stride` rows, rounded up to 16.
struct Stored {
    uint8_t *data;
    DType type;
    bool fractal;
    bool transposed; // as stored: columns x rows
    uint64_t stride;
    uint32_t limit_bytes;         // of an on-chip tensor's buffer
    uint64_t row = 0, column = 0; // where the block begins, as stored
};
struct Product {
    const void *object; // that asks, to be told from others of its core
    Stored a, b, c;
    View bias;
    DType bias_type; // NONE: no bias
    uint32_t m, n, k;
    uint32_t base_m, base_n, base_k; // how the product is cut, for the timeline
    uint32_t depth_a, depth_b;       // base blocks that L1 holds
    uint32_t step_a, step_b;         // base blocks along k that one copy of A, of B brings to L1; 0: one
    bool unit_flag;                  // parts of C leave L0C while others are made
    uint8_t atomic;                  // 0 none, 1 add, 2 max, 3 min
    bool add_to_last; // go on with the sums of this object's last call, or with those in L0C where C lies there
    bool kept;        // the sums stay in L0C for the next product to add to: there is no c
    bool relu, split_channels; // floats of C in fractals of 8 columns
    uint8_t hf32;              // 0 no, 1 ties to even, 2 ties away from 0
    uint64_t scale;            // of quantised results
    View scales;               // one for each column
};
// `api` is a static string. With `wait` the caller goes on when C is there, else at matmul_wait: when there is all that
// this object asked for, and what the core's other objects asked for before, which the cube core serves in order.
AKGEN_API void matmul(const Product &p, const char *api, bool wait);
AKGEN_API void matmul_wait(const void *object);
// Before WaitIterateAll: warn MATMUL_WAIT unless the cube core tells of one product that is not waited for yet. `told` counts
// those that were asked for with waitIterateAll, `silent` the others since the last wait.
AKGEN_API void matmul_told(uint32_t told, uint32_t silent);
AKGEN_API void matmul_register(const void *tiling);
// Objects that a vector core has registered: warn MATMUL_OBJECT of more than 4, and after InitBuffer.
AKGEN_API void matmul_objects(uint32_t count);
// Refuse a call that an object whose A or B comes by functions of the kernel has not here.
AKGEN_API void matmul_refuse(bool called, const char *call);
// Refuse a block of one part of k that is not written by itself, or that begins with a bias.
AKGEN_API void matmul_sliced(bool alone, bool bias);
// Refuse an operand of an object without a tiling, and a bias that its tiling does not announce.
AKGEN_API void matmul_require(bool registered, bool bias_announced);

} // namespace akgen::twin
