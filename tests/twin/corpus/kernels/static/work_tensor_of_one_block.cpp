// A sum over 8192 halves leaves 64 partial sums; the work tensor has room for 16.
// code: WORK_TENSOR
// x: float16 8192
// y: float16 16
// want: np.full(16, (np.abs(x) * 0 + 1).astype(np.float32).sum() / 8192)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    LocalTensor<half> a(TPosition::VECIN, 0, 8192);
    LocalTensor<half> work(TPosition::VECCALC, 16384, 16); // [faulty]
    LocalTensor<half> work(TPosition::VECCALC, 16384, 128); // [correct]
    LocalTensor<half> b(TPosition::VECOUT, 32768, 16);
    Duplicate(a, half(1.0f / 8192), 8192);
    ReduceSum(b, a, work, 8192); // [here]
    half total = b.GetValue(0);
    Duplicate(b, total, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 16);
}
