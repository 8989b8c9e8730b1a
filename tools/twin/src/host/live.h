// How much of its temporary buffer each API of the library keeps alive: akgen/tables/library.def for the host.
#pragma once
#include <cstdint>

namespace akgen::host {

constexpr uint32_t float_bytes = 4;

struct Live {
    uint32_t wide, narrow; // rows of float, of sources of 4 bytes and of narrower ones

    constexpr uint32_t of(uint32_t type_bytes) const { return type_bytes == 4 ? wide : narrow; }
};
// One constant for each API: `live::GroupNorm`.
namespace live {
#define AKGEN_LIBRARY(Name, dtypes, live, ...) constexpr Live Name{live};
#define AKGEN_SOFTMAX(Name, dtypes, live, ...) constexpr Live Name{live};
#include "../../include/akgen/tables/library.def"
} // namespace live

} // namespace akgen::host
