// Device code has no conversion from floating point to an unsigned integer.
// code: SCALAR_CAST
// x: float32 16
// want: np.where(np.arange(16) < 8, x, x)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16);
    float half_of_it = 8.0f * GetBlockNum();
    uint32_t count = static_cast<uint32_t>(half_of_it); // [faulty here]
    uint32_t count = static_cast<int32_t>(half_of_it); // [correct]
    DataCopy(a, in, count);
    DataCopy(a[count], in[count], 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
