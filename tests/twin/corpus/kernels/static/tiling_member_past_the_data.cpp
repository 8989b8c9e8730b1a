// An array behind the fields that the host wrote.
// code: TILING_DATA
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

struct Parts {
    uint32_t total;
    uint32_t begin[16]; // [faulty]
    uint32_t begin[1]; // [correct]
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA_WITH_STRUCT(Parts, parts, tiling); // [here]
    LocalTensor<float> a(TPosition::VECCALC, 0, 64);
    DataCopy(a, in, parts.total);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, parts.total);
}
