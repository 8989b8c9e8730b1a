// Pattern 0 is meant as "all"; that is 7.
// code: GATHER_PATTERN
// x: int32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> in, out;
    in.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<int32_t> a = inQueue.AllocTensor<int32_t>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<int32_t>();
    LocalTensor<int32_t> b = outQueue.AllocTensor<int32_t>();
    uint64_t kept = 0;
    uint8_t all = 0; // [faulty]
    uint8_t all = 7; // [correct]
    GatherMask(b, a, all, false, 0, {1, 1, 8, 8}, kept); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<int32_t>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
