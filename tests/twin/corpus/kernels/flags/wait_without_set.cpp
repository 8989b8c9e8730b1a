// The wait's flag is set on one path only.
// code: FLAG_UNPAIRED
// x: float32 64
// want: x + 1
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
    SetFlag<HardEvent::MTE2_V>(EVENT_ID2); // [correct]
    if (GetBlockNum() > 1) { // [faulty]
        SetFlag<HardEvent::MTE2_V>(EVENT_ID2); // [faulty]
    } // [faulty]
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID2); // [here]
    Adds(a, a, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
