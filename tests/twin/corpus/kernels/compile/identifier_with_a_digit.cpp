// A name starts with a digit.
// code: SYNTAX
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    const uint32_t 2nd = 8; // [faulty here]
    const uint32_t second = 8; // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 8); // [faulty]
    LocalTensor<float> a(TPosition::VECCALC, 0, second); // [correct]
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
