// With the compiler's synchronisation off, the scalar unit reads a result that is not there yet.
// code: PIPE_RACE
// options: --cce-auto-sync=off
// x: float32 64
// want: x + x.max()
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf, work, most;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(work, 256);
    pipe.InitBuffer(most, 32);
    LocalTensor<float> a = buf.Get<float>(), m = most.Get<float>(), w = work.Get<float>();
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    ReduceMax(m, a, w, 64);
    SetFlag<HardEvent::V_S>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::V_S>(EVENT_ID0); // [correct]
    float top = m.GetValue(0); // [here]
    SetFlag<HardEvent::S_V>(EVENT_ID0);
    WaitFlag<HardEvent::S_V>(EVENT_ID0);
    Adds(a, a, top, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
