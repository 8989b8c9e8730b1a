// A tile of zeros is filled again while the copy of the last one may still read it: other values would spoil the output.
// warning: PIPE_RACE
// x: float32 256
// want: x * 0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 512);
    LocalTensor<float> zeros = buffer.Get<float>();
    for (int i = 0; i < 2; i++) {
        Duplicate(zeros, 0.0f, 128); // [faulty here]
        Duplicate(zeros, 0.0f, 128); // [correct]
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out[i * 128], zeros, 128);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);  // [correct]
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0); // [correct]
    }
}
