// The kernel defines the tiling struct a second time.
// code: REDEFINITION
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

struct CorpusTilingData { // [faulty here]
    uint32_t total, perCore; // [faulty]
}; // [faulty]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, data.total);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, data.total);
}
