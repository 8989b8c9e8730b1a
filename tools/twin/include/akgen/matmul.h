// Runtime entry points of the high-level matrix product: one call computes one block of C on real memory.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

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
