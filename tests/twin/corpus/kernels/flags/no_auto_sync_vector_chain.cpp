// With the compiler's synchronisation off, a vector instruction does not wait for the one before it.
// code: PIPE_RACE
// options: --cce-auto-sync=off
// x: float32 128
// want: np.exp(x) + 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 1024);
    LocalTensor<float> a = buf.Get<float>(128), b = buf.GetWithOffset<float>(128, 512);
    DataCopy(a, in, 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Exp(b, a, 128);
    PipeBarrier<PIPE_V>(); // [correct]
    Adds(b, b, 1.0f, 128); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 128);
}
