// The mask of a selection is declared as floats.
// warning: COMPARE_MASK
// x: float32 64
// want: np.maximum(x, -x)
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
    LocalTensor<float> bits = flags.Get<float>(); // [faulty]
    LocalTensor<uint8_t> bits = flags.Get<uint8_t>(); // [correct]
    Muls(b, a, -1.0f, 64);
    Compare(bits, a, b, CMPMODE::GT, 64); // [here]
    Select(b, mask, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
