// Two tensors built by address overlap: the second copy comes into what the vector unit writes.
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
    constexpr uint32_t second = 512 - 128; // [faulty]
    constexpr uint32_t second = 512; // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 128);
    LocalTensor<float> b(TPosition::VECCALC, second, 64);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Mul(a, a, a, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    DataCopy(a, in[64], 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Mul(b, a, a, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out[64], b, 64);
}
