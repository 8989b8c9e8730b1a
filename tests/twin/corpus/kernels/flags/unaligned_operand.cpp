// An offset of three elements is 12 bytes.
// code: UB_ALIGNMENT
// x: float32 64
// want: np.concatenate([x[8:], x[:8]])
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> bufA, bufB;
    pipe.InitBuffer(bufA, 512);
    pipe.InitBuffer(bufB, 256);
    LocalTensor<float> a = bufA.Get<float>(), b = bufB.Get<float>();
    const uint32_t shift = 3; // [faulty]
    const uint32_t shift = 8; // [correct]
    DataCopy(a, in, 64);
    DataCopy(a[64], in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(b, a[shift], 0.0f, 64); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
