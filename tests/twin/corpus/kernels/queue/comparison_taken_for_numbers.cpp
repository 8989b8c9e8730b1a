// The result of a comparison is copied out as if it were zeros and ones.
// warning: COMPARE_MASK
// x: float32 64
// want: np.where(x > 0, 1.0, 0.0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> source, result, flags;
    pipe.InitBuffer(source, 256);
    pipe.InitBuffer(result, 256);
    pipe.InitBuffer(flags, 256);
    LocalTensor<float> a = source.Get<float>();
    LocalTensor<float> b = result.Get<float>();
    LocalTensor<uint8_t> mask = flags.Get<uint8_t>();
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(b, 0.0f, 64); // [faulty]
    Duplicate(b, 1.0f, 64); // [correct]
    CompareScalar(b, a, 0.0f, CMPMODE::GT, 64); // [faulty here]
    CompareScalar(mask, a, 0.0f, CMPMODE::GT, 64); // [correct]
    Select(b, mask, b, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64); // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
