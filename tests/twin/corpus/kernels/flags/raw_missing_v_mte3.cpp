// The flag from the vector unit to the copy out is missing.
// code: PIPE_RACE
// x: float32 256
// want: np.maximum(x, 0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 1024);
    LocalTensor<float> a = buf.Get<float>();
    DataCopy(a, in, 256);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Relu(a, a, 256);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0); // [correct]
    DataCopy(out, a, 256); // [here]
}
