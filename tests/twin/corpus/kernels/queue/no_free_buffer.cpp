// Two tiles are asked of a queue that has one buffer.
// code: QUEUE_STATE
// x: float32 128
// y: float32 64
// want: x[:64] - x[64:]
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
    pipe.InitBuffer(inQueue, 1, 256); // [faulty]
    pipe.InitBuffer(inQueue, 2, 256); // [correct]
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = inQueue.AllocTensor<float>(); // [here]
    DataCopy(b, in[64], 64);
    inQueue.EnQue(b);
    b = inQueue.DeQue<float>();
    LocalTensor<float> c = outQueue.AllocTensor<float>();
    Sub(c, a, b, 64);
    outQueue.EnQue(c);
    inQueue.FreeTensor(a);
    inQueue.FreeTensor(b);
    c = outQueue.DeQue<float>();
    DataCopy(out, c, 64);
    outQueue.FreeTensor(c);
}
