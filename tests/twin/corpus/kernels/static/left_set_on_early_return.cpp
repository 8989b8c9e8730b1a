// A core that has nothing left to do returns with its flag set.
// warning: FLAG_LEFT
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID3); // [faulty here]
    if (GetBlockNum() == 1) {
        return;
    }
    SetFlag<HardEvent::MTE3_V>(EVENT_ID3); // [correct]
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID3);
    Duplicate(a, 0.0f, 64);
}
