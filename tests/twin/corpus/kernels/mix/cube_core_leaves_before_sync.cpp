// The cube cores end while the vector cores wait for all.
// warning: SYNC_MISSING
// x: float32 64
// zeroed: yes
// want: 0
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC {
        return; // [faulty]
    }
    SyncAll<false>(); // [here]
}
