// Tensors built by address: the second half is used before its copy has arrived.
// code: PIPE_RACE
// x: float32 256
// want: x[:128] + x[128:]
// y: float32 128
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 128);
    LocalTensor<float> b(TPosition::VECIN, 512, 128);
    LocalTensor<float> c(TPosition::VECOUT, 1024, 128);
    DataCopy(a, in, 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // [faulty]
    DataCopy(b, in[128], 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Add(c, a, b, 128); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, c, 128);
}
