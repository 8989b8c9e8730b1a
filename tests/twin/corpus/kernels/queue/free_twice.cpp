// A tensor is freed on the common path and again at the end of the loop.
// code: QUEUE_STATE
// x: float32 128
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
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    for (int i = 0; i < 2; ++i) {
        auto a = inQueue.AllocTensor<float>();
        DataCopy(a, in[i * 64], 64);
        inQueue.EnQue(a);
        auto b = inQueue.DeQue<float>();
        auto c = outQueue.AllocTensor<float>();
        Add(c, b, b, 64);
        outQueue.EnQue(c);
        inQueue.FreeTensor(b);
        auto d = outQueue.DeQue<float>();
        DataCopy(out[i * 64], d, 64);
        outQueue.FreeTensor(d);
        inQueue.FreeTensor(a); // [faulty here]
    }
}
