// A constant at file level is computed by a call.
// code: STATIC_CONSTRUCTOR
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

static const int64_t blocks = GetBlockNum(); // [faulty here]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    const int64_t blocks = GetBlockNum(); // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, blocks * 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, blocks * 8);
}
