// Half to float loses nothing, and has no other mode than CAST_NONE.
// code: CAST_MODE
// x: float16 64
// y: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in;
    GlobalTensor<float> out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<half> a(TPosition::VECIN, 0, 64);
    LocalTensor<float> b(TPosition::VECOUT, 256, 64);
    const RoundMode mode = RoundMode::CAST_ODD; // [faulty]
    const RoundMode mode = RoundMode::CAST_NONE; // [correct]
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Cast(b, a, mode, 64); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
