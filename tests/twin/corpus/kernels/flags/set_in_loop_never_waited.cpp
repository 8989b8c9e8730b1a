// A flag is set in each round and never waited for; its counter ends at 15.
// code: FLAG_TWICE
// x: float32 160
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
    pipe.InitBuffer(buf, 32);
    LocalTensor<float> a = buf.Get<float>();
    for (int i = 0; i < 20; ++i) {
        DataCopy(a, in[i * 8], 8);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(out[i * 8], a, 8);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1); // [here]
        PipeBarrier<PIPE_ALL>(); // [faulty]
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1); // [correct]
    }
}
