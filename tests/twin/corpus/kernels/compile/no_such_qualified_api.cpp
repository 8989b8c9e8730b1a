// The name is qualified, and still does not exist.
// code: UNKNOWN_API
// x: float32 64
// want: np.full(64, x.sum())
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    LocalTensor<float> work(TPosition::VECCALC, 512, 64);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::ReduceAdd(a, a, work, 64); // [faulty here]
    AscendC::ReduceSum(a, a, work, 64); // [correct]
    const float total = a.GetValue(0);
    Duplicate(a, total, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 64);
}
