// Each of two stages has a pipe of its own, and both live at the same time.
// warning: PIPE_TWICE
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

class Stage {
public:
    __aicore__ inline void Init(TPipe *shared)
    {
        TPipe *pipe = &own_;
        pipe = shared; // [correct]
        pipe->InitBuffer(buffer_, 256); // [here]
    }
    TBuf<TPosition::VECCALC> buffer_;

private:
    TPipe own_;
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    Stage first, second;
    TPipe pipe;
    first.Init(&pipe);
    second.Init(&pipe);
    LocalTensor<float> a = first.buffer_.Get<float>(), b = second.buffer_.Get<float>();
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(b, a, 0.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
