// Runtime entry points behind ASSERT, PRINTF and DumpTensor, and the interfaces that a kernel's launch needs.
#pragma once
#include "akgen/runtime.h"

namespace akgen::twin {

AKGEN_API void assert_failed(const char *condition, const char *file, uint32_t line);
AKGEN_API void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
AKGEN_API void dump(const uint8_t *data, DType dtype, uint64_t count, uint32_t tag);
// Copy the tiling structure of `bytes` bytes from the launch's tiling data; trap if the host wrote fewer.
AKGEN_API void read_tiling(void *into, const uint8_t *from, uint64_t bytes);
AKGEN_API void kernel_trap();

} // namespace akgen::twin
