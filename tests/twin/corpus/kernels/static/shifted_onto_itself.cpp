// A prefix sum by shifting in place: each repeat reads what the one before has written.
// code: PARTIAL_OVERLAP
// x: float32 256
// want: np.concatenate([x[:64], x[:192] * 2])
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 256);
    LocalTensor<float> b(TPosition::VECCALC, 1024, 256);
    DataCopy(a, in, 256);
    DataCopy(b, in, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(a[64], a, 2.0f, 192); // [faulty here]
    Muls(b[64], a, 2.0f, 192); // [correct]
    LocalTensor<float> c = a; // [faulty]
    LocalTensor<float> c = b; // [correct]
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, c, 256);
}
