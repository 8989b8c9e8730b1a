// The upper word of a bit mask does not exist for floats.
// code: MASK_RANGE
// x: float32 64
// want: np.where(np.arange(64) % 2 == 0, np.exp(x), x)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    uint64_t mask[2] = {0x5555555555555555ul, 0x5555555555555555ul}; // [faulty]
    uint64_t mask[2] = {0x5555555555555555ul, 0}; // [correct]
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Exp(a, a, mask, 1, {1, 1, 8, 8}); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
