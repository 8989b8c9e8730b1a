// Runtime entry points behind tensors: scalar access, static placement, shape information.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

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
