// RmsNorm squares a row of 256 elements; its temporary buffer holds 64.
// code: TEMPORARY_SIZE
// x: float32 4 256
// y: float32 4 256
// want: x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-5)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 1024);
    LocalTensor<float> gamma(TPosition::VECCALC, 4096, 256);
    LocalTensor<uint8_t> temporary(TPosition::VECCALC, 8192, 256); // [faulty]
    LocalTensor<uint8_t> temporary(TPosition::VECCALC, 8192, 4096); // [correct]
    LocalTensor<float> b(TPosition::VECOUT, 16384, 1024);
    RmsNormTiling cut;
    cut.bLength = 1;
    cut.sLength = 4;
    cut.hLength = 256;
    cut.originalHLength = 256;
    DataCopy(a, in, 1024);
    Duplicate(gamma, 1.0f, 256);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    RmsNorm(b, a, gamma, temporary, 1e-5f, cut); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 1024);
}
