// Forty floats are no whole repeat for a comparison.
// warning: COMPARE_COUNT
// x: float32 64
// y: uint8 32
// want: np.pad(np.packbits(x > 0, bitorder="little"), (0, 24))
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in;
    GlobalTensor<uint8_t> out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ uint8_t *)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    LocalTensor<uint8_t> bits(TPosition::VECOUT, 256, 32);
    const uint32_t count = 40; // [faulty]
    const uint32_t count = 64; // [correct]
    DataCopy(a, in, 64);
    Duplicate(bits.ReinterpretCast<int32_t>(), 0, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    CompareScalar(bits, a, 0.0f, CMPMODE::GT, count); // [here]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, bits, 32);
}
