// The flag leads the wrong way: the vector unit tells the copy, not the copy the vector unit.
// code: PIPE_RACE
// x: float32 64
// want: -x
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
    DataCopy(a, in, 64);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0); // [faulty]
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0); // [faulty]
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); // [correct]
    Muls(a, a, -1.0f, 64); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
