// A pool has less memory than its buffers ask for.
// code: UB_OVERFLOW
// x: float32 128
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    pipe.InitBufPool(pool, 512);
    TBuf<> first, second;
    pool.InitBuffer(first, 256);
    pool.InitBuffer(second, 512); // [faulty here]
    pool.InitBuffer(second, 256); // [correct]
    LocalTensor<float> a = first.Get<float>(), b = second.Get<float>();
    DataCopy(a, in, 64);
    DataCopy(b, in[64], 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
    DataCopy(out[64], b, 64);
}
