// Sub takes tensors; a number is given.
// code: WRONG_ARGUMENTS
// x: float16 64
// want: x - 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECCALC, 0, 64);
    const half one = 1.0f; // [faulty]
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Sub(a, a, one, 64); // [faulty here]
    Adds(a, a, half(-1.0f), 64); // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
