// A scalar is selected with the mode for tensors.
// code: SELECT_MODE
// x: float32 64
// want: np.maximum(x, 0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    LocalTensor<float> b(TPosition::VECOUT, 256, 64);
    LocalTensor<uint8_t> bits(TPosition::VECCALC, 512, 32);
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    CompareScalar(bits, a, 0.0f, CMPMODE::GT, 64);
    Select(b, bits, a, 0.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64); // [faulty here]
    Select(b, bits, a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64); // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 64);
}
