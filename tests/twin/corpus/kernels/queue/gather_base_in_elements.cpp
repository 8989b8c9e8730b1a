// The base address of Gather counts bytes, too.
// code: GATHER_OFFSET
// x: float16 64
// y: float16 16
// want: x[6:22]
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
    TBuf<> offsets;
    pipe.InitBuffer(inQueue, 1, 128);
    pipe.InitBuffer(outQueue, 1, 32);
    pipe.InitBuffer(offsets, 64);
    const uint32_t base = 3; // [faulty]
    const uint32_t base = 6 * sizeof(half); // [correct]
    LocalTensor<half> a = inQueue.AllocTensor<half>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<half>();
    LocalTensor<half> b = outQueue.AllocTensor<half>();
    LocalTensor<int32_t> index = offsets.Get<int32_t>();
    CreateVecIndex(index, 0, 16);
    Muls(index, index, 2, 16);
    Gather(b, a, index.ReinterpretCast<uint32_t>(), base, 16); // [here]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<half>();
    DataCopy(out, b, 16);
    outQueue.FreeTensor(b);
}
