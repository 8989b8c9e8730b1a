// The last tile has 50 elements, which are no whole blocks.
// warning: COPY_LENGTH
// x: float32 178
// want: x + 4
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    pipe.InitBuffer(inQueue, 2, 256);
    pipe.InitBuffer(outQueue, 2, 256);
    for (uint32_t begin = 0; begin < 178; begin += 64) {
        const uint32_t count = 178 - begin < 64 ? 178 - begin : 64;
        DataCopyExtParams params{1, count * 4, 0, 0, 0};
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        DataCopy(a, in[begin], count); // [faulty here]
        DataCopyPad(a, in[begin], params, DataCopyPadExtParams<float>{}); // [correct]
        inQueue.EnQue(a);
        a = inQueue.DeQue<float>();
        LocalTensor<float> b = outQueue.AllocTensor<float>();
        Adds(b, a, 4.0f, count);
        outQueue.EnQue(b);
        inQueue.FreeTensor(a);
        b = outQueue.DeQue<float>();
        DataCopyPad(out[begin], b, params);
        outQueue.FreeTensor(b);
    }
}
