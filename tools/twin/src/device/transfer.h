// The parts that copies are made of: what an operand must be, the instruction record, whole rows.
#pragma once
#include "akgen/copy.h"
#include "core.h"

#pragma GCC visibility push(hidden)
namespace akgen::twin {

constexpr uint32_t block = 32;

// What an instruction touches. `limit` is the size of the operand in bytes, 0 if it is not known.
inline Access one_run(const uint8_t *begin, uint64_t bytes, bool write, uint32_t limit)
{
    return {begin, bytes, 1, 0, write, limit};
}

inline Access rows_of(const uint8_t *begin, uint64_t row_bytes, uint32_t rows, int64_t stride, bool write,
                      uint32_t limit)
{
    return {begin, row_bytes, rows, stride, write, limit};
}

Instr transfer(const char *api, const void *pc, Pipe pipe, DType dtype, const Access &dst, const Access &src);
// Trap unless the operand lies in a memory of this core, aligned as that memory needs it.
void require_local(const char *api, const void *pc, const char *operand, const View &v);
void require_rows(const char *api, const void *pc, uint32_t rows); // as many as one copy moves

// Rows that are a multiple of 32 bytes, or that the caller has made so.
void rows_out(const char *api, const void *pc, uint8_t *dst, const View &src, const Rows &r, DType dtype);
// `filled`: bytes of each row of `dst` that are written, zeros behind what is copied; 0: none.
void rows_local(const char *api, const void *pc, const View &dst, const View &src, const Rows &r, DType dtype,
                uint32_t filled = 0);

} // namespace akgen::twin
#pragma GCC visibility pop
