// What EnQue gets comes from a TBuf and belongs to no queue.
// code: QUEUE_STATE
// x: float32 64
// want: x * 3
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    TQue<QuePosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> a = buf.Get<float>();
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    LocalTensor<float> b = a; // [faulty]
    LocalTensor<float> b = outQueue.AllocTensor<float>(); // [correct]
    Muls(b, a, 3.0f, 64);
    outQueue.EnQue(b); // [here]
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
