// The number of bits is a difference taken the wrong way round.
// code: SHIFT_RANGE
// x: int16 64
// want: x >> 3
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int16_t> in, out;
    in.SetGlobalBuffer((__gm__ int16_t *)x);
    out.SetGlobalBuffer((__gm__ int16_t *)y);
    LocalTensor<int16_t> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    constexpr int16_t have = 12, want = 15;
    ShiftRight(a, a, static_cast<int16_t>(have - want), 64); // [faulty here]
    ShiftRight(a, a, static_cast<int16_t>(want - have), 64); // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
