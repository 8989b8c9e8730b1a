// The source stride of a row reduction does not fit into its eight bits... and it is given in elements.
// code: STRIDE_RANGE
// x: float32 2 2304
// y: float32 8
// want: np.pad(x[:, :64].sum(1), (0, 6))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 4608);
    LocalTensor<float> b(TPosition::VECOUT, 4608 * 4, 8);
    DataCopy(a, in, 4608);
    Duplicate(b, 0.0f, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Exp(a, a, 64, 2, {1, 1, 288, 288}); // [faulty here]
    Muls(a, a, 1.0f, 64); // [correct]
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    float first = 0, second = 0;
    for (int i = 0; i < 64; ++i) {
        first += a.GetValue(i);
        second += a.GetValue(2304 + i);
    }
    b.SetValue(0, first);
    b.SetValue(1, second);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 8);
}
