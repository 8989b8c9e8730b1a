// Which step a kernel takes is chosen by a virtual function.
// code: DEVICE_LANGUAGE
// x: float32 8
// want: x * 2
#include "kernel_operator.h"
using namespace AscendC;

class Step { // [faulty]
public: // [faulty]
    __aicore__ virtual void Run(const LocalTensor<float> &a) const = 0; // [faulty here]
}; // [faulty]
class Twice : public Step { // [faulty]
    __aicore__ inline void Run(const LocalTensor<float> &a) const override { Muls(a, a, 2.0f, 8); } // [faulty]
}; // [faulty]
__aicore__ inline void Apply(const Step &step, const LocalTensor<float> &a) { step.Run(a); } // [faulty]
struct Twice { // [correct]
    __aicore__ inline void Run(const LocalTensor<float> &a) const { Muls(a, a, 2.0f, 8); } // [correct]
}; // [correct]
template <typename Step> __aicore__ inline void Apply(const Step &step, const LocalTensor<float> &a) { step.Run(a); } // [correct]

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Twice twice;
    Apply(twice, a);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
