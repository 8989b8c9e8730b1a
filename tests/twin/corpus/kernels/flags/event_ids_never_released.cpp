// Each round takes a new event id and gives none back.
// warning: EVENT_IDS_EXHAUSTED
// x: float32 96
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
    pipe.InitBuffer(buf, 384);
    LocalTensor<float> a = buf.Get<float>();
    for (int i = 0; i < 12; ++i) {
        DataCopy(a[i * 8], in[i * 8], 8);
        TEventID id = pipe.AllocEventID<HardEvent::MTE2_MTE3>(); // [here]
        SetFlag<HardEvent::MTE2_MTE3>(id);
        WaitFlag<HardEvent::MTE2_MTE3>(id);
        pipe.ReleaseEventID<HardEvent::MTE2_MTE3>(id); // [correct]
        DataCopy(out[i * 8], a[i * 8], 8);
    }
}
