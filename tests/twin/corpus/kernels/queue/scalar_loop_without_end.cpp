// A search in a tile that does not hold what is searched for.
// code: TIMEOUT
// x: float32 64
// timeout: 2
// want: np.where(np.arange(64) == x.argmax(), x.max(), 0)
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
    TBuf<> work, most;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    pipe.InitBuffer(work, 256);
    pipe.InitBuffer(most, 32);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, in, 64);
    inQueue.EnQue(a);
    a = inQueue.DeQue<float>();
    LocalTensor<float> m = most.Get<float>();
    ReduceMax(m, a, work.Get<float>(), 64);
    const float top = m.GetValue(0) + 1.0f; // [faulty]
    const float top = m.GetValue(0); // [correct]
    uint32_t at = 0;
    while (a.GetValue(at % 64) != top) { // [here]
        ++at;
    }
    LocalTensor<float> b = outQueue.AllocTensor<float>();
    Duplicate(b, 0.0f, 64);
    b.SetValue(at, top);
    outQueue.EnQue(b);
    inQueue.FreeTensor(a);
    b = outQueue.DeQue<float>();
    DataCopy(out, b, 64);
    outQueue.FreeTensor(b);
}
