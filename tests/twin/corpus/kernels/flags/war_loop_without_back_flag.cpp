// Within a loop, the copy overwrites what the vector unit still reads; without auto-sync nothing holds it back.
// code: PIPE_RACE
// x: float32 512
// want: x - 3
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> bufIn, bufOut;
    pipe.InitBuffer(bufIn, 512);
    pipe.InitBuffer(bufOut, 512);
    LocalTensor<float> a = bufIn.Get<float>(), b = bufOut.Get<float>();
    const event_t freed = static_cast<event_t>(pipe.AllocEventID<HardEvent::V_MTE2>());
    const event_t left = static_cast<event_t>(pipe.AllocEventID<HardEvent::MTE3_V>());
    SetFlag<HardEvent::V_MTE2>(freed); // [correct]
    SetFlag<HardEvent::MTE3_V>(left);
    for (int i = 0; i < 4; ++i) {
        WaitFlag<HardEvent::V_MTE2>(freed); // [correct]
        DataCopy(a, in[i * 128], 128); // [here]
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(left);
        Adds(b, a, -3.0f, 128);
        SetFlag<HardEvent::V_MTE2>(freed); // [correct]
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out[i * 128], b, 128);
        SetFlag<HardEvent::MTE3_V>(left);
    }
    WaitFlag<HardEvent::V_MTE2>(freed); // [correct]
    WaitFlag<HardEvent::MTE3_V>(left);
    pipe.ReleaseEventID<HardEvent::V_MTE2>(freed);
    pipe.ReleaseEventID<HardEvent::MTE3_V>(left);
}
