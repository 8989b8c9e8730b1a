// A float is assigned to an unsigned integer, and nobody wrote a cast.
// code: SCALAR_CAST
// x: float32 16
// want: x * 8
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16);
    const float half_of_all = 0.5f * data.total; // promotion within an expression
    uint32_t count = 0;
    count = half_of_all * 2.0f; // [faulty here]
    count = static_cast<int32_t>(half_of_all * 2.0f); // [correct]
    DataCopy(a, in, count);
    const float factor = half_of_all;
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, factor, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
