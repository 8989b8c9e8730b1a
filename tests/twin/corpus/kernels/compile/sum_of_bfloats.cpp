// Two numbers of bfloat16_t are added in scalar code.
// code: HALF_ARITHMETIC
// x: float32 16
// want: x * 3
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16);
    const bfloat16_t one = ToBfloat16(1.0f), two = ToBfloat16(2.0f);
    const float factor = ToFloat(one + two); // [faulty here]
    const float factor = ToFloat(one) + ToFloat(two); // [correct]
    DataCopy(a, in, 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, factor, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
