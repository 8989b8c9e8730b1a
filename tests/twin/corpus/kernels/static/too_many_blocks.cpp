// Five thousand blocks of 32 bytes in one strided copy.
// code: COPY_ROWS
// x: float32 10000 8
// y: float32 8
// want: x[4] * 0 + 1
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 40000);
    LocalTensor<float> b(TPosition::VECOUT, 160000, 8);
    const uint16_t rows = 5000; // [faulty]
    const uint16_t rows = 4000; // [correct]
    DataCopy(a, in, DataCopyParams{rows, 1, 1, 0}); // [here]
    Duplicate(b, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, b, 8);
}
