// A method of the kernel's class has no body.
// code: LINK
// x: float32 8
// want: x
#include "kernel_operator.h"
using namespace AscendC;

class Copier {
public:
    __aicore__ void Run(GM_ADDR x, GM_ADDR y);
};
__aicore__ inline void Copier::Run(GM_ADDR x, GM_ADDR y) // [correct]
__aicore__ inline void Run(GM_ADDR x, GM_ADDR y) // [faulty]
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Copier op;
    op.Run(x, y); // [here]
}
