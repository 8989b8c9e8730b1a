// Converting float to int32_t needs a rounding mode.
// code: CAST_MODE
// x: float32 64
// y: int32 64
// want: np.rint(x)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in;
    GlobalTensor<int32_t> out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<int32_t> b = outQueue.AllocTensor<int32_t>();
    Cast(b, a, RoundMode::CAST_NONE, 64); // [faulty here]
    Cast(b, a, RoundMode::CAST_RINT, 64); // [correct]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<int32_t>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
