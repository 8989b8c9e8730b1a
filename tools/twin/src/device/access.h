// What an instruction touches. `limit` is the size of the operand in bytes, 0 if it is not known.
#pragma once
#include "akgen/runtime.h"

#pragma GCC visibility push(hidden)
namespace akgen::twin {

inline Access one_run(const uint8_t *begin, uint64_t bytes, bool write, uint32_t limit)
{
    return {begin, bytes, 1, 0, write, limit};
}

inline Access rows_of(const uint8_t *begin, uint64_t row_bytes, uint32_t rows, int64_t stride, bool write,
                      uint32_t limit)
{
    return {begin, row_bytes, rows, stride, write, limit};
}

} // namespace akgen::twin
#pragma GCC visibility pop
