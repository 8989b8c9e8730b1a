// The host processor's own vectors take the place of the chip's.
// code: HOST_INSTRUCTION
// x: float32 8
// want: x + 3
#include "kernel_operator.h"
using namespace AscendC;

typedef float Four __attribute__((vector_size(16))); // [faulty]
struct Four { float v[4]; __aicore__ float operator[](int i) const { return v[i]; } }; // [correct]
__aicore__ __attribute__((noinline)) float Third(Four a, float b)
{
    Four sum = a + Four{b, b, b, b}; // [faulty here]
    Four sum = {a[0] + b, a[1] + b, a[2] + b, a[3] + b}; // [correct]
    return sum[2];
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(a, a, Third(Four{1, 1, 1, 1}, 2.0f), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
