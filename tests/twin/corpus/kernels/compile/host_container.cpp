// std::vector needs a heap.
// code: HOST_NAME
// x: float32 8
// want: x
#include "kernel_operator.h"
#include <vector> // [faulty]
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    std::vector<uint32_t> counts(1, 8); // [faulty here]
    const uint32_t counts[1] = {8}; // [correct]
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, counts[0]);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, counts[0]);
}
