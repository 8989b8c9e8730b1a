// The cube core waits for its vector cores, and they wait for it.
// code: DEADLOCK
// x: float32 64
// zeroed: yes
// want: 0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(1); // [correct]
        CrossCoreWaitFlag(2); // [here]
        CrossCoreSetFlag<2, PIPE_FIX>(1); // [faulty]
    }
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(1); // [faulty here]
        CrossCoreWaitFlag(1); // [correct]
        CrossCoreSetFlag<2, PIPE_MTE3>(2);
    }
}
