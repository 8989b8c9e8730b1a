// A kernel class for any type calls Exp, which exists for half and float only; int32_t comes in by the entry.
// code: DTYPE_UNSUPPORTED
// x: float32 64
// want: np.exp(x)
#include "kernel_operator.h"
using namespace AscendC;

template <typename T> class Exponent {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y)
    {
        GlobalTensor<T> in, out;
        in.SetGlobalBuffer((__gm__ T *)x);
        out.SetGlobalBuffer((__gm__ T *)y);
        LocalTensor<T> a(TPosition::VECCALC, 0, 64);
        DataCopy(a, in, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Exp(a, a, 64); // [here]
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out, a, 64);
    }
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Exponent<int32_t> op; // [faulty]
    Exponent<float> op; // [correct]
    op.Run(x, y);
}
