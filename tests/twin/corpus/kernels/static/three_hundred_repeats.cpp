// 300 repeats in one instruction: the count has eight bits.
// code: REPEAT_RANGE
// x: float32 19200
// y: float32 304
// want: np.pad(x.reshape(300, 64).sum(1), (0, 4))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 19200);
    LocalTensor<float> sums(TPosition::VECOUT, 19200 * 4, 304);
    DataCopy(a, in, 19200);
    Duplicate(sums, 0.0f, 304);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WholeReduceSum(sums, a, 64, 300, 1, 1, 8); // [faulty here]
    WholeReduceSum(sums, a, 64, 150, 1, 1, 8); // [correct]
    WholeReduceSum(sums[152], a[152 * 64], 64, 148, 1, 1, 8); // [correct]
    WholeReduceSum(sums[144], a[144 * 64], 64, 8, 1, 1, 8); // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, sums, 304);
}
