// With the compiler's synchronisation off, each step of the computation needs a barrier.
// code: PIPE_RACE
// options: --cce-auto-sync=off
// x: float16 128
// want: 1 / (1 + np.exp(-x.astype(np.float32)))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<half> a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 128);
    inQueue.EnQue(a);
    a = inQueue.DeQue<half>();
    LocalTensor<half> b = outQueue.AllocTensor<half>();
    Muls(b, a, half(-1.0f), 128);
    PipeBarrier<PIPE_V>();
    Exp(b, b, 128);
    PipeBarrier<PIPE_V>();
    Adds(b, b, half(1.0f), 128);
    PipeBarrier<PIPE_V>(); // [correct]
    Reciprocal(b, b, 128); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<half>();
    DataCopy(out, b, 128);
    outQueue.FreeTensor(b);
}
