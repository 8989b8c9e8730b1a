// The tile that was taken from the queue is never freed.
// warning: TENSOR_LEAK
// x: float16 64
// want: np.sqrt(np.abs(x))
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
    pipe.InitBuffer(inQueue, 1, 128);
    pipe.InitBuffer(outQueue, 1, 128);
    auto a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<half>(); // [here]
    auto b = outQueue.AllocTensor<half>();
    Abs(a, a, 64);
    Sqrt(b, a, 64);
    outQueue.EnQue(b);
    b = outQueue.DeQue<half>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
    inQueue.FreeTensor(a); // [correct]
}
