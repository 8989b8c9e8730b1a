// Cores pass a flag round, and one of them waits for a flag that its neighbour never sets.
// code: DEADLOCK
// x: float32 64
// blocks: 2
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 128);
    LocalTensor<float> a = buf.Get<float>();
    const uint32_t begin = GetBlockIdx() * 32;
    DataCopy(a, in[begin], 32);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out[begin], a, 32);
    CrossCoreSetFlag<0, PIPE_MTE3>(4); // [correct]
    if (GetBlockIdx() == 0) { // [faulty]
        CrossCoreSetFlag<0, PIPE_MTE3>(4); // [faulty]
    } // [faulty]
    CrossCoreWaitFlag(4); // [here]
}
