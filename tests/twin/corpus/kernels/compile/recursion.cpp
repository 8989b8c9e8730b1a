// A number is computed by a function that calls itself twice.
// code: DEVICE_LANGUAGE
// x: float32 8
// want: x * 8
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline int32_t Fibonacci(int32_t n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); } // [faulty here]
__aicore__ inline int32_t Fibonacci(int32_t n) // [correct]
{ // [correct]
    int32_t one = 0, next = 1; // [correct]
    for (; n > 0; --n) { int32_t sum = one + next; one = next; next = sum; } // [correct]
    return one; // [correct]
} // [correct]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, static_cast<float>(Fibonacci(static_cast<int32_t>(GetBlockNum()) * 6)), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
