// The second operand's copy goes into the first operand's buffer.
// warning: UNWRITTEN_DATA
// x: float32 128
// y: float32 64
// want: x[:64] * x[64:]
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> bufA, bufB;
    pipe.InitBuffer(bufA, 256);
    pipe.InitBuffer(bufB, 256);
    LocalTensor<float> a = bufA.Get<float>(), b = bufB.Get<float>();
    DataCopy(a, in, 64);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(a, in[64], 64); // [faulty]
    DataCopy(b, in[64], 64); // [correct]
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Mul(a, a, b, 64); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
