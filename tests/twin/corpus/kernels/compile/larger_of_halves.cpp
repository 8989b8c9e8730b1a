// A function for any type compares, and is called with halves.
// code: HALF_ARITHMETIC
// x: float16 16
// want: x * max(x[0], x[1])
#include "kernel_operator.h"
using namespace AscendC;

template <typename T> __aicore__ inline T Larger(T a, T b)
{
    return a > b ? a : b; // [faulty here]
    return static_cast<float>(a) > static_cast<float>(b) ? a : b; // [correct]
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECCALC, 0, 16);
    DataCopy(a, in, 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, Larger(a.GetValue(0), a.GetValue(1)), 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
