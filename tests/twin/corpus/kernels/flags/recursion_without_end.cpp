// A sum by recursion has no case that ends it.
// code: STACK_OVERFLOW
// x: float32 8
// want: x * 8
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ __attribute__((noinline)) int Count(int n)
{ // [here]
    volatile int here = n;
    if (n < 0) { return 0; } // [faulty]
    if (n == 0) { return 0; } // [correct]
    return Count(n > 0 ? n - 1 : n) + (here >= 0 ? 1 : 0);
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, (float)Count(8), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
