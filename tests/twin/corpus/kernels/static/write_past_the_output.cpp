// The output has 100 elements and gets 512.
// code: GM_OVERRUN
// x: float32 512
// y: float32 100
// want: x[:100]
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 512);
    DataCopy(a, in, 512);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 512); // [faulty here]
    DataCopyPad(out, a, DataCopyExtParams{1, 400, 0, 0, 0}); // [correct]
}
