// Core 0 clears the sum that the others already add to.
// code: GM_RACE
// x: float32 128
// y: float32 32
// blocks: 4
// want: x.reshape(4, 32).sum(0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> bufA, bufZ;
    pipe.InitBuffer(bufA, 128);
    pipe.InitBuffer(bufZ, 128);
    LocalTensor<float> a = bufA.Get<float>(), zero = bufZ.Get<float>();
    if (GetBlockIdx() == 0) {
        Duplicate(zero, 0.0f, 32);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out, zero, 32);
        PipeBarrier<PIPE_ALL>();
    }
    SyncAll(); // [correct]
    DataCopy(a, in[GetBlockIdx() * 32], 32);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    DataCopy(out, a, 32); // [here]
    SetAtomicNone();
}
