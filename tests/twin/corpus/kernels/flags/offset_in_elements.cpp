// GetWithOffset takes bytes; given elements, the two tensors overlap.
// code: PARTIAL_OVERLAP
// x: float32 256
// want: np.abs(x)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 2048);
    LocalTensor<float> a = buf.GetWithOffset<float>(256, 256); // [faulty]
    LocalTensor<float> a = buf.GetWithOffset<float>(256, 1024); // [correct]
    LocalTensor<float> b = buf.GetWithOffset<float>(256, 0); // [correct]
    LocalTensor<float> b = buf.GetWithOffset<float>(256, 512); // [faulty]
    DataCopy(a, in, 256);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Abs(b, a, 256); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 256);
}
