// Event ids end at 7.
// code: EVENT_ID
// x: float32 64
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
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    int32_t id = 8; // [faulty]
    int32_t id = 7; // [correct]
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_MTE3>(id); // [here]
    WaitFlag<HardEvent::MTE2_MTE3>(id);
    DataCopy(out, a, 64);
}
