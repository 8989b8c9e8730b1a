// Cores leave their scale to each other in a table outside of the kernel.
// code: STATIC_WRITTEN
// x: float32 2 8
// want: x * 2
// blocks: 2
#include "kernel_operator.h"
using namespace AscendC;

static volatile float scales[2]; // [faulty]
static constexpr float scales[2] = {2.0f, 2.0f}; // [correct]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x + GetBlockIdx() * 8);
    out.SetGlobalBuffer((__gm__ float *)y + GetBlockIdx() * 8);
    scales[GetBlockIdx()] = 2.0f; // [faulty here]
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, (float)scales[GetBlockIdx()], 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
