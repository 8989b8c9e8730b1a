// CPU unit tests of kernels, as the vendor's "CPU Twin Debugging" has them: allocate with GmAlloc, call a kernel with
// ICPU_RUN_KF in the test's own process. `akgen twin-flags` prints the options that a test is built with.
#pragma once
#ifndef ASCENDC_CPU_DEBUG
#error "build CPU unit tests with the options that `akgen twin-flags` prints"
#endif
#include "akgen/unit.h"
#include "kernel_operator.h"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };

// A test that includes gtest first has the failure in the test case that ran the kernel.
#ifdef GTEST_TEST
#define AKGEN_UNIT_FAILED(text) ADD_FAILURE() << (text)
#else
#define AKGEN_UNIT_FAILED(text) static_cast<void>(text)
#endif

#define ICPU_SET_TILING_KEY(tilingKey) akgen::twin::unit_set_key(static_cast<int64_t>(tilingKey))
#define ICPU_RUN_KF(func, blkdim, ...)                                                                                 \
    do {                                                                                                               \
        const auto akgen_kernel = [&]() { func(__VA_ARGS__); };                                                        \
        if (const char *akgen_failure = AscendC::detail::run_on_cores(#func, __FILE__, __LINE__,                       \
                                                                      static_cast<uint32_t>(blkdim), akgen_kernel)) {  \
            AKGEN_UNIT_FAILED(akgen_failure);                                                                          \
        }                                                                                                              \
    } while (0)

namespace AscendC {

using ::KernelMode;

inline void *GmAlloc(size_t size) { return akgen::twin::unit_alloc(size); }
inline void GmFree(void *ptr) { akgen::twin::unit_free(ptr); }
inline void SetKernelMode(KernelMode mode) { akgen::twin::unit_set_mode(static_cast<akgen::twin::UnitMode>(mode)); }

namespace detail {
template <typename Kernel>
inline const char *run_on_cores(const char *name, const char *file, int line, uint32_t blocks, const Kernel &kernel)
{
    const auto body = [](void *data) { (*static_cast<const Kernel *>(data))(); };
    return akgen::twin::unit_run({name, file, line, AKGEN_TWIN_CHIP, blocks, body, const_cast<Kernel *>(&kernel)});
}
} // namespace detail

} // namespace AscendC
