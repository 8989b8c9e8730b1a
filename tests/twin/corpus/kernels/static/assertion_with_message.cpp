// An assertion of the kernel library's form.
// code: KERNEL_ASSERT
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    const int64_t blocks = GetBlockNum();
    ascendc_assert(blocks > 1, "needs two blocks"); // [faulty here]
    ascendc_assert(blocks > 0, "needs a block"); // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
