// A function is declared, called and never defined.
// code: LINK
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ uint32_t tile_of(uint32_t total); // [faulty]
__aicore__ inline uint32_t tile_of(uint32_t total) { return total; } // [correct]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, tile_of(8)); // [here]
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
