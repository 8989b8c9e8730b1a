// On the path of a short input, accumulation stays on.
// warning: ATOMIC_LEFT
// x: int32 8
// zeroed: yes
// want: np.maximum(x, 0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> in, out;
    in.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    GET_TILING_DATA(data, tiling);
    LocalTensor<int32_t> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    SetAtomicMax<int32_t>(); // [here]
    DataCopy(out, a, 8);
    if (data.total < 64) { // [faulty]
        return; // [faulty]
    } // [faulty]
    SetAtomicNone();
}
