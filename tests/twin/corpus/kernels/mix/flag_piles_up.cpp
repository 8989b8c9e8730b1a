// The cube core tells its vector cores more often than they ask.
// code: FLAG_TWICE
// x: float32 64
// zeroed: yes
// want: 0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    if ASCEND_IS_AIC {
        for (int i = 0; i < 40; ++i) {
            CrossCoreSetFlag<2, PIPE_FIX>(1); // [here]
            CrossCoreWaitFlag(2); // [correct]
        }
    }
    if ASCEND_IS_AIV {
        for (int i = 0; i < 40; ++i) {
            CrossCoreWaitFlag(1);
            CrossCoreSetFlag<2, PIPE_MTE3>(2); // [correct]
        }
    }
}
