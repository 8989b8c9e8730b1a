// What MmadWithSparse multiplies: two of every four values of B along k, and where they stood.
#pragma once
#include <cstdint>

namespace akgen::twin {

// `k` rows of 16 columns: those of block number `block` of `blocks` beside each other, `b` lying in L0B. Traps CUBE_RANGE on an
// index that says nothing.
void unpack_sparse(const uint8_t *b, uint32_t block, uint32_t blocks, uint32_t k, int32_t *out, const void *pc);

} // namespace akgen::twin
