// Runs the calls of rules.py one after the other, each as a kernel of its own. They stand at the mark.
#include "tikicpulib.h"
#include <algorithm>
#include <cstdlib>
using namespace AscendC;

// What a call on a vector core sees; made in one place, so that each call is little to compile.
template <typename T> struct Operands {
    TPipe pipe;
    TBuf<> memory;
    GlobalTensor<uint8_t> given;
    GlobalTensor<T> from, to;
    LocalTensor<T> a, b, c, out;
    LocalTensor<uint8_t> tmp;
    LocalTensor<uint32_t> index;

    __attribute__((noinline)) Operands(GM_ADDR x, GM_ADDR y)
    {
        pipe.InitBuffer(memory, 180 * 1024);
        given.SetGlobalBuffer(x);
        DataCopy(memory.Get<uint8_t>(), given, 72 * 1024);
        a = memory.GetWithOffset<T>(1024, 0);
        b = memory.GetWithOffset<T>(1024, 8192);
        c = memory.GetWithOffset<T>(1024, 16384);
        out = memory.GetWithOffset<T>(1024, 24576);
        tmp = memory.GetWithOffset<uint8_t>(32768, 32768);
        index = memory.GetWithOffset<uint32_t>(1024, 65536);
        from.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x), 1024);
        to.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y), 1024);
        PipeBarrier<PIPE_ALL>();
    }
};
#define OPERANDS(T)                                                                                                    \
    Operands<T> made(x, y);                                                                                            \
    auto &[pipe, memory, given, from, to, a, b, c, out, tmp, index] = made;

// The same on a cube core.
constexpr IsResetLoad3dConfig AS_SET = {false, false};
template <typename T> struct CubeOperands {
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    GlobalTensor<T> from;
    GlobalTensor<float> result;
    LocalTensor<T> a1, b1, a2, b2;
    LocalTensor<float> c1;

    __attribute__((noinline)) CubeOperands(GM_ADDR x, GM_ADDR y)
    {
        pipe.InitBuffer(l1, 32 * 1024);
        pipe.InitBuffer(l0a, 32 * 1024);
        pipe.InitBuffer(l0b, 32 * 1024);
        pipe.InitBuffer(l0c, 32 * 1024);
        from.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x), 16384);
        result.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y), 4096);
        a1 = l1.Get<T>();
        b1 = a1[8192];
        a2 = l0a.Get<T>();
        b2 = l0b.Get<T>();
        c1 = l0c.Get<float>();
        DataCopy(a1, from, 32 * 1024 / sizeof(T));
        PipeBarrier<PIPE_ALL>();
        LoadData(a2, a1, LoadData2DParams{0, 4, 1, 0, 0, false, 0});
        LoadData(b2, b1, LoadData2DParams{0, 4, 1, 0, 0, false, 0});
        PipeBarrier<PIPE_ALL>();
    }
};
#define CUBE_OPERANDS(T)                                                                                               \
    CubeOperands<T> made(x, y);                                                                                        \
    auto &[pipe, l1, l0a, l0b, l0c, from, result, a1, b1, a2, b2, c1] = made;

// CALLS

int main()
{
    setenv("PATH", "/nowhere", 1); // the program tells no lines: who reads its report finds them, all at once
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
