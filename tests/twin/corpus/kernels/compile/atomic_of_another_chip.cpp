// A core adds its number to one element, which the scalar unit of this chip cannot do.
// code: OTHER_CHIP
// x: int32 64
// y: int32 8
// zeroed: yes
// want: [1, 0, 0, 0, 0, 0, 0, 0]
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> out;
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    AtomicAdd((__gm__ int32_t *)y, int32_t(1)); // [faulty here]
    LocalTensor<int32_t> one(TPosition::VECCALC, 0, 8); // [correct]
    Duplicate(one, 0, 8); // [correct]
    one.SetValue(0, 1); // [correct]
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0); // [correct]
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0); // [correct]
    SetAtomicAdd<int32_t>(); // [correct]
    DataCopy(out, one, 8); // [correct]
    SetAtomicNone(); // [correct]
}
