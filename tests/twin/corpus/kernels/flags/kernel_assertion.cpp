// The kernel's own assertion does not hold.
// code: KERNEL_ASSERT
// x: float32 72
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    ascendc_assert(data.total % 64 == 0); // [faulty here]
    ascendc_assert(data.total % 8 == 0); // [correct]
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 288);
    LocalTensor<float> a = buf.Get<float>();
    DataCopy(a, in, 72);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 72);
}
