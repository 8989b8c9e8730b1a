// Two 4-bit integers to a byte, the lower half first, and how many elements of a type fill 32 bytes.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

inline uint32_t lanes_of(DType type) { return type == DType::I4 ? 64 : 32 / dtype_bytes(type); }
// Bytes of `count` elements; an odd number of nibbles ends in the middle of its last byte.
inline uint64_t bytes_of(uint64_t count, DType type)
{
    return type == DType::I4 ? (count + 1) / 2 : count * dtype_bytes(type);
}

// Byte in which element number `index` begins.
inline uint64_t byte_of(uint64_t index, DType type)
{
    return type == DType::I4 ? index / 2 : index * dtype_bytes(type);
}

inline int8_t nibble_at(const uint8_t *from, uint64_t index)
{
    const uint8_t pair = from[index / 2];
    const uint8_t bits = index % 2 ? pair >> 4 : pair & 0xf;
    return static_cast<int8_t>(bits >= 8 ? bits - 16 : bits);
}
inline void put_nibble(uint8_t *to, uint64_t index, int8_t value)
{
    const int shift = index % 2 ? 4 : 0;
    to[index / 2] = static_cast<uint8_t>((to[index / 2] & (0xf0 >> shift)) | (value & 0xf) << shift);
}

} // namespace akgen::twin
