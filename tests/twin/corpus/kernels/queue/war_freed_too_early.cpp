// A tile is freed before the vector unit has read it, so that the next copy may overwrite it.
// code: PIPE_RACE
// x: float32 512
// want: x + 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    pipe.InitBuffer(inQueue, 1, 512);
    pipe.InitBuffer(outQueue, 2, 512);
    for (int i = 0; i < 4; ++i) {
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        DataCopy(a, in[i * 128], 128); // [here]
        inQueue.EnQue(a);
        a = inQueue.DeQue<float>();
        inQueue.FreeTensor(a); // [faulty]
        LocalTensor<float> b = outQueue.AllocTensor<float>();
        Adds(b, a, 1.0f, 128);
        inQueue.FreeTensor(a); // [correct]
        outQueue.EnQue(b);
        b = outQueue.DeQue<float>();
        DataCopy(out[i * 128], b, 128);
        outQueue.FreeTensor(b);
    }
}
