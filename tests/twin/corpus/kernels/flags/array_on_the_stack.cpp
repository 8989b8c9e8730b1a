// A table that belongs into the Unified Buffer is a local array.
// code: STACK_OVERFLOW
// x: float32 8
// want: x * 3
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{ // [here]
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    constexpr int n = 12 << 10; // [faulty]
    constexpr int n = 1 << 7; // [correct]
    volatile float table[n];
    table[GetBlockIdx()] = 3.0f;
    Muls(a, a, (float)table[GetBlockIdx()], 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
