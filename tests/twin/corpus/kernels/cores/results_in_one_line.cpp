// Each core writes its result beside the next core's, through its scalar unit.
// code: CACHE_LINE_SHARED
// x: float32 4
// y: float32 4
// blocks: 4
// zeroed: yes
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 32);
    LocalTensor<float> a = buf.Get<float>();
    const float result = in.GetValue(GetBlockIdx()) * 2.0f;
    out.SetValue(GetBlockIdx(), result); // [faulty here]
    a.SetValue(0, result); // [correct]
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    DataCopyPad(out[GetBlockIdx()], a, DataCopyExtParams{1, 4, 0, 0, 0}); // [correct]
}
