// A pointer to global memory is reinterpreted without its address space.
// code: ADDRESS_SPACE
// x: float32 16
// want: x * x[1]
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline float Second(__gm__ uint8_t *from)
{
    return reinterpret_cast<float *>(from)[1]; // [faulty here]
    return reinterpret_cast<__gm__ float *>(from)[1]; // [correct]
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA(data, tiling);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16);
    const float factor = Second(x);
    DataCopy(a, in, 16);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a, a, factor, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 16);
}
