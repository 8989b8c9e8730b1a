// A core without work returns before the others synchronise.
// warning: SYNC_MISSING
// x: float32 64
// blocks: 3
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    const uint32_t begin = GetBlockIdx() * 32;
    if (begin >= 64) { // [faulty]
        return; // [faulty]
    } // [faulty]
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 128);
    LocalTensor<float> a = buf.Get<float>();
    if (begin < 64) {
        DataCopy(a, in[begin], 32);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(out[begin], a, 32);
    }
    SyncAll(); // [here]
}
