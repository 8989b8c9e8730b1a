// The tail's length is computed from a tile that is longer than what is left.
// code: VECTOR_COUNT
// x: float32 64
// want: x + 2
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    const int32_t tile = 96; // [faulty]
    const int32_t tile = 32; // [correct]
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    Adds(b, a, 2.0f, 64);
    Adds(b[32], a[32], 2.0f, 64 - tile); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
