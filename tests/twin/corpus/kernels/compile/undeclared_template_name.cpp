// A constant of another class is used without its class.
// code: UNDECLARED
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

struct Sizes {
    static constexpr uint32_t tile = 8;
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, tile); // [faulty here]
    LocalTensor<float> a(TPosition::VECCALC, 0, Sizes::tile); // [correct]
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
