// The work tensor of a maximum with index holds too little.
// code: WORK_TENSOR
// x: float32 4096
// y: float32 8
// want: np.full(8, x.max())
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
    TBuf<> work;
    pipe.InitBuffer(inQueue, 1, 16384);
    pipe.InitBuffer(outQueue, 1, 32);
    pipe.InitBuffer(work, 64); // [faulty]
    pipe.InitBuffer(work, 1024); // [correct]
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 4096);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    ReduceMax(b, a, work.Get<float>(), 4096, true); // [here]
    float top = b.GetValue(0);
    Duplicate(b, top, 8);
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 8);
    outQueue.FreeTensor(b);
}
