// The tensor is built for 32 elements and filled with 64, into the one behind it.
// warning: TENSOR_RANGE
// x: float32 96
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 32);
    LocalTensor<float> b(TPosition::VECIN, 128, 64);
    DataCopy(b, in[32], 64);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(a, in, 64); // [faulty here]
    DataCopy(a, in, 32); // [correct]
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 32);
    DataCopy(out[32], b, 64);
}
