// The copy in is a block shorter than the copy out.
// warning: UNWRITTEN_DATA
// x: float16 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECCALC, 0, 64);
    const uint32_t count = 48; // [faulty]
    const uint32_t count = 64; // [correct]
    DataCopy(a, in, count);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64); // [here]
}
