// Each function's table fits into the stack, the three together do not.
// code: STACK_OVERFLOW
// x: float32 8
// want: x * 3
#include "kernel_operator.h"
using namespace AscendC;

constexpr int length = 3 << 10; // [faulty]
constexpr int length = 1 << 10; // [correct]

template <int depth> __aicore__ __attribute__((noinline)) float Sum(volatile float *above) { // [here]
    volatile float table[length];
    table[GetBlockIdx()] = above[0] + 1.0f;
    if constexpr (depth > 1) {
        return Sum<depth - 1>(table);
    } else {
        return table[GetBlockIdx()];
    }
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
    volatile float nothing = 0.0f;
    Muls(a, a, Sum<3>(&nothing), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
