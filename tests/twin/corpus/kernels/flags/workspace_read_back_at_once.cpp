// What goes out to the workspace comes back in before it has arrived there.
// code: GM_RACE
// x: float32 64
// workspace: 256
// want: x + 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GlobalTensor<float> user;
    user.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));
    TPipe pipe;
    TBuf<> bufA, bufB;
    pipe.InitBuffer(bufA, 256);
    pipe.InitBuffer(bufB, 256);
    LocalTensor<float> a = bufA.Get<float>(), b = bufB.Get<float>();
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(a, a, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(user, a, 64);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0); // [correct]
    DataCopy(b, user, 64); // [here]
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
