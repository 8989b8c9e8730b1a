// A bfloat16_t is cast to float as a half may be.
// code: SCALAR_CAST
// x: float32 16
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16);
    LocalTensor<bfloat16_t> b(TPosition::VECCALC, 64, 16);
    DataCopy(a, in, 16);
    Duplicate(b, static_cast<bfloat16_t>(2.0f), 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    const float factor = static_cast<float>(b.GetValue(3)); // [faulty here]
    const float factor = ToFloat(b.GetValue(3)); // [correct]
    Muls(a, a, factor, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
