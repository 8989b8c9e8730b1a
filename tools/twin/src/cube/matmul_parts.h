// The parts of one product: whether it fits, what it touches, what it computes, and what the cube core does for it.
#pragma once
#include "akgen/cube.h"
#include "device/core.h"
#include <vector>

namespace akgen::twin {

// Trap unless the blocks and what L1 keeps of them fit.
void require_room_for(const Product &p, const char *api, const void *pc);

// Elements before (row, column) of the block, where fractals have `c0` columns.
inline uint64_t offset_of(const Stored &s, uint64_t row, uint64_t column, uint32_t c0)
{
    row += s.row;
    column += s.column;
    if (!s.fractal) {
        return row * s.stride + column;
    }
    return column / c0 * ((s.stride + 15) / 16 * 16) * c0 + row * c0 + column % c0;
}
// Check the memory that a stored matrix touches; on-chip tensors are entered on the pipe that moves them.
void check_stored(const Stored &s, uint32_t rows, uint32_t columns, bool write, uint32_t c0, const char *api,
                  const void *pc);

// True where sums are int32, false where they are float.
inline bool adds_int32(const Product &p) { return p.a.type == DType::I8 || p.a.type == DType::I4; }
// How sums become elements of C: a Quant (convert.h).
uint8_t quant_of(const Product &p);
// Store C. `last` holds the sums of the last product, which this one may add to, and then those of this one.
void compute_product(const Product &p, std::vector<uint8_t> &last, const char *api, const void *pc, uint32_t c0);

// Enter loads, multiplications and stores in the cube core's log.
void log_product(Core &cube, const Product &p, const void *pc, const char *api);

} // namespace akgen::twin
