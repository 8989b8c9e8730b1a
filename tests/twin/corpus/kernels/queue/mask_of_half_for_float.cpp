// A repeat has 64 floats; the mask is that of halves.
// code: MASK_RANGE
// x: float32 256
// want: x + x
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
    pipe.InitBuffer(inQueue, 1, 1024);
    pipe.InitBuffer(outQueue, 1, 1024);
    const uint64_t mask = 128; // [faulty]
    const uint64_t mask = 64; // [correct]
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 256);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    Add(b, a, a, mask, 256 / mask, {1, 1, 1, 8, 8, 8}); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 256);
    outQueue.FreeTensor(b);
}
