// Each core's part is rounded up, so that it overlaps the next core's.
// code: GM_RACE
// x: float32 96
// blocks: 3
// want: x + np.repeat([1, 2, 3], 32)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    const uint32_t begin = GetBlockIdx() * data.perCore;
    const uint32_t count = begin + 64 <= data.total ? 64 : 32; // [faulty]
    const uint32_t count = data.perCore; // [correct]
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in[begin], count);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    Adds(b, a, 1.0f + GetBlockIdx(), count);
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out[begin], b, count); // [here]
    outQueue.FreeTensor(b);
}
