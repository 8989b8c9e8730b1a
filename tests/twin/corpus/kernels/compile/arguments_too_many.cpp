// A method of the kernel's own class is called with an argument too many.
// code: WRONG_ARITY
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

class Mover {
public:
    __aicore__ inline void Move(GM_ADDR x, GM_ADDR y)
    {
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
        LocalTensor<float> a(TPosition::VECCALC, 0, 64);
        DataCopy(a, in, 64);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(out, a, 64);
    }
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Mover op;
    op.Move(x, y, workspace); // [faulty here]
    op.Move(x, y); // [correct]
}
