// HF32: what the cube makes of floats in its fast mode, and how many elements along k it takes in one step.
#pragma once
#include "akgen/runtime.h"
#include <cstring>

namespace akgen::twin {

struct Hf32 {
    bool on = false, away = false;
};
extern thread_local Hf32 hf32; // of this core

// Round to 11 bits of fraction: to the nearest, ties to even or away from zero.
inline float to_hf32(float value, bool away)
{
    constexpr uint32_t dropped = 12, half = 1u << (dropped - 1);
    uint32_t word;
    std::memcpy(&word, &value, 4);
    if ((word & 0x7f800000) == 0x7f800000) { // infinite, or not a number
        return value;
    }
    word += away || (word >> dropped & 1) ? half : half - 1;
    word &= ~((1u << dropped) - 1);
    std::memcpy(&value, &word, 4);
    return value;
}

inline uint32_t step_along_k(DType type, bool in_hf32)
{
    return type == DType::I4 ? 64 : type == DType::I8 ? 32 : type != DType::F32 ? 16 : in_hf32 ? 8 : 4;
}

} // namespace akgen::twin
