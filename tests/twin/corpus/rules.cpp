// Runs the calls of rules.py one after the other, each as a kernel of its own. They stand at the mark.
#include "tikicpulib.h"
#include <cstdlib>
using namespace AscendC;

#define OPERANDS(T)                                                                                                    \
    TPipe pipe;                                                                                                        \
    TBuf<> memory;                                                                                                     \
    pipe.InitBuffer(memory, 180 * 1024);                                                                               \
    GlobalTensor<uint8_t> given;                                                                                       \
    given.SetGlobalBuffer(x);                                                                                          \
    DataCopy(memory.Get<uint8_t>(), given, 72 * 1024);                                                                 \
    LocalTensor<T> a = memory.GetWithOffset<T>(1024, 0), b = memory.GetWithOffset<T>(1024, 8192);                      \
    LocalTensor<T> c = memory.GetWithOffset<T>(1024, 16384), out = memory.GetWithOffset<T>(1024, 24576);               \
    LocalTensor<uint8_t> tmp = memory.GetWithOffset<uint8_t>(32768, 32768);                                            \
    LocalTensor<uint32_t> index = memory.GetWithOffset<uint32_t>(1024, 65536);                                         \
    GlobalTensor<T> from, to;                                                                                          \
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x), 1024);                                                       \
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y), 1024);                                                         \
    PipeBarrier<PIPE_ALL>();

// CALLS

int main()
{
    setenv("PATH", "/nowhere", 1); // the program tells no lines: who reads its report finds them, all at once
    SetKernelMode(KernelMode::AIV_MODE);
    auto *x = static_cast<uint8_t *>(GmAlloc(72 * 1024)), *y = static_cast<uint8_t *>(GmAlloc(16 * 1024));
    for (uint32_t i = 0; i < 18 * 1024; ++i) {
        reinterpret_cast<float *>(x)[i] = 0.5f;
    }
    for (uint32_t i = 0; i < 1024; ++i) {
        reinterpret_cast<uint32_t *>(x + 65536)[i] = i * 4;
    }
    // RUNS
    return 0;
}
