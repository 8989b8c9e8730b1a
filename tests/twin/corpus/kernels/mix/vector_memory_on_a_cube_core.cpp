// The Unified Buffer belongs to vector cores; the cube core copies into it.
// code: WRONG_MEMORY
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    if ASCEND_IS_AIC { // [faulty]
    if ASCEND_IS_AIV { // [correct]
        LocalTensor<float> a(TPosition::VECCALC, 0, 64);
        DataCopy(a, in, 64); // [here]
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(out, a, 64);
    }
}
