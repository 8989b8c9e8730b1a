// Runtime entry points behind tikicpulib.h: kernels that a CPU unit test calls in its own process.
#pragma once
#include "akgen/runtime.h"
#include <stddef.h>

namespace akgen::twin {

// One ICPU_RUN_KF. `body` runs the kernel once, on the thread of each simulated core.
struct UnitCall {
    const char *kernel; // as the test names it
    const char *file;   // of the test
    int line;
    const char *chip; // file of chip facts
    uint32_t blocks;
    void (*body)(void *);
    void *data;
};
// Run the kernel, print what the checks found, and remember a failure for the process's exit status. Returns null, or
// one sentence that says what failed; it is valid until the next call.
AKGEN_API const char *unit_run(const UnitCall &call);

// Global memory that a unit test gives its kernels: cleared, with unmapped pages around it.
AKGEN_API void *unit_alloc(size_t bytes);
AKGEN_API void unit_free(void *memory);

enum class UnitMode : uint8_t { mixed, cube, vector };
AKGEN_API void unit_set_mode(UnitMode mode);
AKGEN_API void unit_set_key(int64_t key);
AKGEN_API uint64_t unit_key();

} // namespace akgen::twin
