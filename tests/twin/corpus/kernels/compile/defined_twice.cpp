// Two functions of one name and one parameter list.
// code: REDEFINITION
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline uint32_t tile() { return 8; }
__aicore__ inline uint32_t tile() { return 16; } // [faulty here]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, tile());
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, tile());
}
