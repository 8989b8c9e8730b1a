// An axis of length two is stretched to four.
// code: BROADCAST_SHAPE
// x: float32 1 64
// y: float32 4 64
// want: np.tile(x, (4, 1))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 128);
    LocalTensor<float> b(TPosition::VECOUT, 512, 256);
    const uint32_t to[2] = {4, 64};
    const uint32_t from[2] = {2, 64}; // [faulty]
    const uint32_t from[2] = {1, 64}; // [correct]
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Broadcast<float, 2, 0>(b, a, to, from); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 256);
}
