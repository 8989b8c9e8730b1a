// A scalar loop adds halves; the correct one adds floats.
// code: HALF_ARITHMETIC
// x: float16 16
// y: float16 16
// want: np.full(16, x[:4].astype(np.float32).sum())
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECCALC, 0, 16);
    half total = in.GetValue(0); // [faulty]
    float total = in.GetValue(0); // [correct]
    for (uint32_t i = 1; i < 4; ++i) {
        total = total + in.GetValue(i); // [faulty here]
        total += static_cast<float>(in.GetValue(i)); // [correct]
    }
    Duplicate(a, static_cast<half>(total), 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
