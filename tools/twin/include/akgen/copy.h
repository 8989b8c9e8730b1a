// Runtime entry points behind tensors and what moves them: scalar access, static placement, shape information, DataCopy,
// DataCopyPad, Copy, atomics and cache maintenance.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

// `rows` runs of `row_bytes`; strides are start to start, in bytes.
struct Rows {
    uint32_t rows;
    uint32_t row_bytes;
    int64_t dst_stride;
    int64_t src_stride;
};
// What fills the rest of a 32-byte block behind a row: left and right elements of `value`, then a filler.
struct Pad {
    bool on;
    uint8_t left;
    uint8_t right;
    uint8_t element_bytes;
    uint64_t value;
};

// `count` elements of `dtype` must be whole 32-byte blocks.
AKGEN_API void copy_in(View dst, uint8_t dst_position, const uint8_t *src, uint64_t count, DType dtype);
AKGEN_API void copy_out(uint8_t *dst, View src, uint8_t src_position, uint64_t count, DType dtype);
AKGEN_API void copy_local(View dst, uint8_t dst_position, View src, uint8_t src_position, uint64_t count, DType dtype);
AKGEN_API void copy_in_rows(View dst, uint8_t dst_position, const uint8_t *src, const Rows &rows, DType dtype);
AKGEN_API void copy_out_rows(uint8_t *dst, View src, uint8_t src_position, const Rows &rows, DType dtype);
AKGEN_API void copy_local_rows(View dst, uint8_t dst_position, View src, uint8_t src_position, const Rows &rows,
                               DType dtype);
// What fills a block behind a row that asks for no padding; without a call, the row's first element.
AKGEN_API void set_filler(uint64_t value);
AKGEN_API uint64_t filler();
AKGEN_API void pad_in(View dst, uint8_t dst_position, const uint8_t *src, const Rows &rows, const Pad &pad,
                      DType dtype);
AKGEN_API void pad_out(uint8_t *dst, View src, uint8_t src_position, const Rows &rows, DType dtype);
// Zeros fill the last block of 32 bytes of each row.
AKGEN_API void pad_local(View dst, uint8_t dst_position, View src, uint8_t src_position, const Rows &rows, DType dtype);
// Repeats of 256 bytes, strides in 32-byte blocks. `counted`: `lo` elements of each repeat, or 0 for the current mask.
AKGEN_API void copy_repeats(View dst, View src, uint64_t lo, uint64_t hi, bool counted, uint32_t repeats,
                            uint32_t dst_blk, uint32_t src_blk, uint32_t dst_rep, uint32_t src_rep, DType dtype);
// Fill global memory with one element, as a vector core does it.
AKGEN_API void fill_global(uint8_t *dst, uint64_t count, uint32_t element_bytes, uint64_t value);

enum class Atomic : uint8_t { none, add, max, min };
AKGEN_API void set_atomic(Atomic op, DType dtype);
AKGEN_API void set_atomic_type(DType dtype);
AKGEN_API void set_atomic_op(Atomic op);
// The type (NONE: off) of what copies out accumulate.
AKGEN_API DType atomic_type();
AKGEN_API void clean_cache(uint8_t *address, bool whole);

// Check `bytes` bytes at data + offset (an on-chip address of this core) and count a scalar access. Return the address.
AKGEN_API uint8_t *local_scalar(uint8_t *data, uint64_t offset_bytes, uint32_t bytes, uint32_t limit_bytes, bool write);
// The same for global memory.
AKGEN_API uint8_t *global_scalar(uint8_t *address, uint32_t bytes, bool write);
// Global memory past the data cache: nothing stays behind that would have to be cleaned.
AKGEN_API uint8_t *global_scalar_direct(uint8_t *address, uint32_t bytes, bool write);
// What a reference to an element is made of: nobody knows yet whether it is read or written. Sealed code says so where it
// uses it; elsewhere it counts as a write, in an input as a read.
AKGEN_API uint8_t *local_reference(uint8_t *data, uint64_t offset_bytes, uint32_t bytes, uint32_t limit_bytes);
AKGEN_API uint8_t *global_reference(uint8_t *address, uint32_t bytes);
// Write the 4-bit element `index` of a packed tensor.
AKGEN_API void set_nibble(uint8_t *data, uint64_t index, uint8_t value, uint32_t limit_bytes);
// Place a tensor at byte `offset` of the memory of a logical position (TPosition as a number).
AKGEN_API View static_tensor(uint8_t position, uint32_t offset_bytes, uint32_t size_bytes);
// Keep a copy of a ShapeInfo for this launch; 0 stands for none.
// Whether the tensor at this global address goes through the second-level cache. Decides time only.
AKGEN_API void cache_hint(const uint8_t *address, bool on);
AKGEN_API uint16_t keep_shape(const void *info, uint32_t info_bytes);
AKGEN_API void recall_shape(uint16_t index, void *info, uint32_t info_bytes);

} // namespace akgen::twin
