// The scalar unit compares two halves.
// code: HALF_ARITHMETIC
// x: float16 16
// want: x * (2 if x[0] > x[1] else 3)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECCALC, 0, 16);
    DataCopy(a, in, 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    half factor = 3;
    if (a.GetValue(0) > a.GetValue(1)) { factor = 2; } // [faulty here]
    if (static_cast<float>(a.GetValue(0)) > static_cast<float>(a.GetValue(1))) { factor = 2; } // [correct]
    Muls(a, a, factor, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
