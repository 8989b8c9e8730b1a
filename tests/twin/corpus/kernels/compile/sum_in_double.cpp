// A sum is kept in double, which the scalar unit does not have.
// code: SCALAR_CAST
// x: float32 8
// want: x * x[:4].sum()
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    double sum = 0; // [faulty]
    float sum = 0; // [correct]
    for (uint32_t i = 0; i < 4; ++i) {
        sum += a.GetValue(i);
    }
    Muls(a, a, static_cast<float>(sum), 8); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
