// Operands of cube instructions: where they must lie, how they are aligned, and the record that they leave.
#pragma once
#include "device/access.h"
#include "device/core.h"

namespace akgen::twin {

constexpr uint32_t fractal_bytes = 512;
constexpr uint32_t c0_bytes = 32;
constexpr uint32_t fractal_rows = 16;

constexpr uint32_t blocks_of(uint32_t count, uint32_t unit) { return (count + unit - 1) / unit; }

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
