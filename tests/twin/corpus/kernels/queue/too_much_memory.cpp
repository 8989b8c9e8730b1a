// Double buffering and the working buffers together exceed the Unified Buffer.
// code: UB_OVERFLOW
// x: float32 64
// want: x + 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    constexpr uint32_t tile = 16384; // [faulty]
    constexpr uint32_t tile = 8192; // [correct]
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
    pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    outQueue.EnQue(b);
    b = outQueue.DeQue<float>();
    outQueue.FreeTensor(b);
    b = outQueue.AllocTensor<float>();
    Adds(b, a, 1.0f, 64); // [here]
    inQueue.FreeTensor(a);
    outQueue.EnQue(b);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
