// Broadcast takes its work tensor by reference: what Get gives has no name.
// code: WRONG_ARGUMENTS
// x: float32 1 64
// y: float32 4 64
// want: np.repeat(x, 4, axis=0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<> work;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 1024);
    pipe.InitBuffer(work, 4096);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    const uint32_t from[2] = {1, 64};
    const uint32_t to[2] = {4, 64};
    Broadcast<float, 2, 0>(b, a, to, from, work.Get<uint8_t>()); // [faulty here]
    LocalTensor<uint8_t> room = work.Get<uint8_t>();             // [correct]
    Broadcast<float, 2, 0>(b, a, to, from, room);                // [correct]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 256);
    outQueue.FreeTensor(b);
}
