// The last round's flag is never waited for.
// warning: FLAG_LEFT
// x: float32 128
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 128);
    LocalTensor<float> a = buf.Get<float>();
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    for (int i = 0; i < 4; ++i) {
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        DataCopy(a, in[i * 32], 32);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(out[i * 32], a, 32);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0); // [here]
    }
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0); // [correct]
}
