// A class template scales with its element type, which is half here.
// code: HALF_ARITHMETIC
// x: float16 64
// y: float16 64
// want: (x * np.float16(0.25)).astype(np.float16)
#include "kernel_operator.h"
using namespace AscendC;

template <typename T> class Scale {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, float factor)
    {
        in_.SetGlobalBuffer((__gm__ T *)x, 64);
        out_.SetGlobalBuffer((__gm__ T *)y, 64);
        pipe_.InitBuffer(queue_, 1, 64 * sizeof(T));
        first_ = static_cast<T>(factor);
        second_ = static_cast<T>(factor);
    }
    __aicore__ inline void Process()
    {
        LocalTensor<T> a = queue_.template AllocTensor<T>();
        DataCopy(a, in_, 64);
        queue_.EnQue(a);
        a = queue_.template DeQue<T>();
        Muls(a, a, first_ * second_, 64); // [faulty here]
        Muls(a, a, static_cast<T>(static_cast<float>(first_) * static_cast<float>(second_)), 64); // [correct]
        SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
        DataCopy(out_, a, 64);
        queue_.FreeTensor(a);
    }

private:
    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> queue_;
    GlobalTensor<T> in_, out_;
    T first_, second_;
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Scale<half> op;
    op.Init(x, y, 0.5f);
    op.Process();
}
