// A remainder by a length that is zero on this core.
// warning: SCALAR_DIVISION
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    volatile int32_t rest = GetBlockIdx(); // [faulty]
    volatile int32_t rest = GetBlockNum(); // [correct]
    const int32_t begin = 64 % rest; // [here]
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in[begin], 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
