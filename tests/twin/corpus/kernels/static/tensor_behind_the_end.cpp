// A tensor built by address ends behind the Unified Buffer.
// code: UB_OVERFLOW
// x: float32 64
// want: x * 0.5
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    constexpr uint32_t last = 196608 - 128; // [faulty]
    constexpr uint32_t last = 196608 - 256; // [correct]
    LocalTensor<float> a(TPosition::VECCALC, last, 64); // [here]
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, 0.5f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
