// An address is given where a number is wanted.
// code: TYPE_MISMATCH
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    uint32_t count = tiling; // [faulty here]
    uint32_t count = 8; // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, count);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, count);
}
