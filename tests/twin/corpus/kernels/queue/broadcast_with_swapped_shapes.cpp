// The shapes of source and destination are swapped.
// code: BROADCAST_SHAPE
// x: float32 64
// y: float32 64 8
// want: np.repeat(x, 8).reshape(64, 8)
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
    TBuf<TPosition::VECCALC> room;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 2048);
    pipe.InitBuffer(room, 16384);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    LocalTensor<uint8_t> work = room.Get<uint8_t>();
    const uint32_t wide[2] = {64, 8}, narrow[2] = {64, 1};
    Broadcast<float, 2, 1>(b, a, narrow, wide, work); // [faulty here]
    Broadcast<float, 2, 1>(b, a, wide, narrow, work); // [correct]
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 512);
    outQueue.FreeTensor(b);
}
