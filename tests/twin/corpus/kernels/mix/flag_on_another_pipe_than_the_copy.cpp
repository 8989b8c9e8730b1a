// The flag between a vector core and its cube core is set before the copy has ended.
// code: GM_RACE
// x: float32 8
// want: np.full(8, 3)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    if ASCEND_IS_AIV {
        LocalTensor<float> a(TPosition::VECCALC, 0, 8);
        Duplicate(a, 3.0f, 8);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out, a, 8); // [here]
        CrossCoreSetFlag<2, PIPE_V>(1); // [faulty]
        CrossCoreSetFlag<2, PIPE_MTE3>(1); // [correct]
    }
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag(1);
        float value = out.GetValue(0); // [here]
        if (value == 0.0f) {
            out.SetValue(0, 1.0f);
        }
    }
}
