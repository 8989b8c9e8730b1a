// Two tensors built by address overlap: the next tile is copied into what the vector unit still reads.
// code: PIPE_RACE
// x: float32 128
// want: x * x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    constexpr uint32_t second = 128; // [faulty]
    constexpr uint32_t second = 256; // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    LocalTensor<float> b(TPosition::VECCALC, second, 64);
    LocalTensor<float> c(TPosition::VECCALC, 1024, 128);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Mul(c, a, a, 64);
    DataCopy(b, in[64], 64); // [here]
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    Mul(c[64], b, b, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, c, 128);
}
