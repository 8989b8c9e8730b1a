// A number without f makes the product a double, which is then a float again.
// code: SCALAR_CAST
// x: float32 8
// want: x * x[1] * 0.5
#include "kernel_operator.h"
using namespace AscendC;

float RowsOfTheHost(double rows) // computes in double, as the host may
{
    const float part = rows * 0.1;
    return part + (float)rows;
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    const float half_of_it = a.GetValue(1) * 0.5; // [faulty here]
    const float half_of_it = a.GetValue(1) * 0.5f; // [correct]
    Muls(a, a, half_of_it, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
