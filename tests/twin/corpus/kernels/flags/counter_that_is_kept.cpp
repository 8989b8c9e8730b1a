// A flag says in a static variable that the launch has been prepared.
// code: STATIC_WRITTEN
// x: float32 8
// want: x * 3
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline int Next(int &count) { return ++count; } // [correct]
static int prepared; // [faulty]
__aicore__ __attribute__((noinline)) float Scale()
{
    prepared += 3; // [faulty here]
    int prepared = 2; // [correct]
    Next(prepared); // [correct]
    return (float)prepared;
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
    Muls(a, a, Scale(), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
