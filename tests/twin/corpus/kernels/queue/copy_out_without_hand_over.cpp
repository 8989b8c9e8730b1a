// The result leaves before the vector unit has written it.
// code: PIPE_RACE
// x: float16 256
// want: np.abs(x)
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
    pipe.InitBuffer(inQueue, 1, 512);
    pipe.InitBuffer(outQueue, 1, 512);
    LocalTensor<half> a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 256);
    inQueue.EnQue<half>(a);
    a = inQueue.DeQue<half>();
    LocalTensor<half> b = outQueue.AllocTensor<half>();
    Abs(b, a, 256);
    outQueue.EnQue<half>(b); // [correct]
    LocalTensor<half> c = outQueue.DeQue<half>(); // [correct]
    LocalTensor<half> c = b; // [faulty]
    DataCopy(out, c, 256); // [here]
    outQueue.FreeTensor(c);
    inQueue.FreeTensor(a);
}
