// A scalar loop runs over the tile's length, and the buffer that it reads is shorter.
// warning: TENSOR_RANGE
// x: float32 16
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> small, spare, next;
    pipe.InitBuffer(small, 32); // [faulty]
    pipe.InitBuffer(small, 64); // [correct]
    pipe.InitBuffer(spare, 64);
    pipe.InitBuffer(next, 64);
    LocalTensor<float> a = small.Get<float>(), b = next.Get<float>();
    DataCopy(b, in, 16);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    for (int i = 0; i < 16; ++i) {
        a.SetValue(i, b.GetValue(i)); // [here]
    }
    SetFlag<HardEvent::S_V>(EVENT_ID0);
    WaitFlag<HardEvent::S_V>(EVENT_ID0);
    Add(b, a, b, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 16);
}
