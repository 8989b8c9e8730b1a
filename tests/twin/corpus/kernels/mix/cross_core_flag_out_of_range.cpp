// Flags between cores are few.
// code: EVENT_ID
// x: float32 64
// zeroed: yes
// want: 0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    uint16_t id = 16; // [faulty]
    uint16_t id = 3; // [correct]
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(id); // [here]
    }
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(id);
    }
}
