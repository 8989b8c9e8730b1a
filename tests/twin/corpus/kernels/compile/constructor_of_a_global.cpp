// A global object has a constructor, which runs when the kernel is loaded.
// code: STATIC_CONSTRUCTOR
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

struct Settings {
    uint32_t count;
    __aicore__ Settings() : count(static_cast<uint32_t>(GetBlockNum()) * 8) {} // [faulty here]
};
static Settings settings; // [faulty here]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    Settings settings; // [correct]
    settings.count = 8;
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, settings.count);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, settings.count);
}
