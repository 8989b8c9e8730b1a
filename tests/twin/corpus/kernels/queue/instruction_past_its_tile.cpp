// The count of two rows is given for a result tile of one.
// warning: TENSOR_RANGE
// x: float32 128
// y: float32 64
// want: x[:64] + 1
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
    TBuf<> behind;
    pipe.InitBuffer(inQueue, 1, 512);
    pipe.InitBuffer(outQueue, 1, 256);
    pipe.InitBuffer(behind, 256);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 128);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    Adds(b, a, 1.0f, 128); // [faulty here]
    Adds(b, a, 1.0f, 64); // [correct]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
