// Four buffers, but the queue keeps two tensors: the third EnQue overwrites the first.
// code: QUEUE_STATE
// x: float32 3 64
// want: x + 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue; // [faulty]
    TQue<QuePosition::VECIN, 3> inQueue; // [correct]
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 4, 256);
    pipe.InitBuffer(outQueue, 2, 256);
    for (int i = 0; i < 3; ++i) {
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        DataCopy(a, in[i * 64], 64);
        inQueue.EnQue(a); // [here]
    }
    for (int i = 0; i < 3; ++i) {
        LocalTensor<float> a = inQueue.DeQue<float>();
        LocalTensor<float> b = outQueue.AllocTensor<float>();
        Adds(b, a, 1.0f, 64);
        outQueue.EnQue(b);
        inQueue.FreeTensor(a);
        b = outQueue.DeQue<float>();
        DataCopy(out[i * 64], b, 64);
        outQueue.FreeTensor(b);
    }
}
