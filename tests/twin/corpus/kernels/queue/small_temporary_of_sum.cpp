// The temporary buffer of Sum cannot hold one result for each repeat of a row.
// code: TEMPORARY_SIZE
// x: float32 2 2048
// y: float32 8
// want: np.concatenate([x.sum(1), np.zeros(6)])
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
    TBuf<> temporary;
    pipe.InitBuffer(inQueue, 1, 16384);
    pipe.InitBuffer(outQueue, 1, 32);
    pipe.InitBuffer(temporary, 64); // [faulty]
    pipe.InitBuffer(temporary, 128); // [correct]
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 4096);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    Duplicate(b, 0.0f, 8);
    Sum(b, a, temporary.Get<uint8_t>(), {2, 2048, 2048}); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 8);
    outQueue.FreeTensor(b);
}
