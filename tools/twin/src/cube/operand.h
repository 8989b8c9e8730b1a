// Operands of cube instructions: where they must lie, how they are aligned, how many bytes they take, and the record that
// they leave. Two 4-bit integers share a byte, the lower half first.
#pragma once
#include "device/transfer.h"
#include "device/core.h"

namespace akgen::twin {

constexpr uint32_t fractal_bytes = 512;
constexpr uint32_t c0_bytes = 32;
constexpr uint32_t fractal_rows = 16;

constexpr uint32_t blocks_of(uint32_t count, uint32_t unit) { return (count + unit - 1) / unit; }

// How many elements of a type fill 32 bytes.
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

// Trap unless the operand lies in `wanted` of this core, aligned as that memory needs it.
void require_space(const char *api, const void *pc, const char *operand, const View &v, Space wanted);
// The same for one of two memories; returns which.
Space require_either(const char *api, const void *pc, const char *operand, const View &v, Space first, Space second);
void require_limit(const char *api, const void *pc, const char *what, uint64_t have, uint64_t most);

Instr cube_instr(const char *api, const char *op, const void *pc, Pipe pipe, DType dtype);
// Order `later` behind all that `earlier` has been given, as unit flags do it fractal by fractal.
void unit_order(Pipe later, Pipe earlier, const void *pc);

float bits_to_float(uint32_t bits);
float brain_to_float(uint16_t bits);
uint16_t float_to_brain(float value);

} // namespace akgen::twin
