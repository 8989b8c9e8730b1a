// Set and wait name different ids.
// code: FLAG_UNPAIRED
// x: float16 128
// want: x + x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECCALC, 0, 128);
    DataCopy(a, in, 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1); // [faulty here]
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); // [correct]
    Add(a, a, a, 128);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 128);
}
