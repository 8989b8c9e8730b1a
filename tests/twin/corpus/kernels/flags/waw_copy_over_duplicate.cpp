// A buffer is cleared by the vector unit and filled by a copy; nothing says which comes first.
// code: PIPE_RACE
// x: float32 40
// y: float32 64
// want: np.pad(x, (0, 24))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    Duplicate(a, 0.0f, 64);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0); // [correct]
    DataCopy(a, in, 40); // [here]
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, a, 64);
}
