// Flags in place of queues: the one from the copy to the vector unit is missing.
// code: PIPE_RACE
// x: float32 256
// want: np.exp(x)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 2048);
    LocalTensor<float> a = buf.Get<float>(256);
    LocalTensor<float> b = buf.GetWithOffset<float>(256, 1024);
    DataCopy(a, in, 256);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); // [correct]
    Exp(b, a, 256); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 256);
}
