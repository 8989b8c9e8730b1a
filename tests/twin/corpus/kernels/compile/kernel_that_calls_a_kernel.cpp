// A kernel calls another kernel.
// code: DEVICE_LANGUAGE
// x: float32 8
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

__global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) // [faulty]
__aicore__ inline void twice(GM_ADDR x, GM_ADDR y) // [correct]
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, 2.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    twice(x, y); // [here]
}
