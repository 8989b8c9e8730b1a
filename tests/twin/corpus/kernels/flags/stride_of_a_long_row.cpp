// Rows of 2080 floats are 260 blocks apart; a repeat stride has eight bits.
// code: STRIDE_RANGE
// x: float32 2 2080
// y: float32 2 64
// want: np.exp(x[:, :64])
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> bufA, bufB;
    pipe.InitBuffer(bufA, 16640);
    pipe.InitBuffer(bufB, 512);
    LocalTensor<float> a = bufA.Get<float>(), b = bufB.Get<float>();
    DataCopy(a, in, 4160);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Exp(b, a, 64, 2, {1, 1, 8, 260}); // [faulty here]
    Exp(b, a, 64, 1, {1, 1, 8, 8}); // [correct]
    Exp(b[64], a[2080], 64, 1, {1, 1, 8, 8}); // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 128);
}
