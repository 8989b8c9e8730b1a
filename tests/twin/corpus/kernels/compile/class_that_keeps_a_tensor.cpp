// A class keeps the tensor that it works on.
// warning: TENSOR_MEMBER
// x: float32 64
// want: x + 1
#include "kernel_operator.h"
using namespace AscendC;

class PlusOne {
public:
    __aicore__ inline void Run(GlobalTensor<float> &in, GlobalTensor<float> &out)
    {
        pipe.InitBuffer(buf, 256);
        tile = buf.Get<float>(); // [faulty]
        LocalTensor<float> tile = buf.Get<float>(); // [correct]
        DataCopy(tile, in, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(tile, tile, 1.0f, 64);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out, tile, 64);
    }

private:
    TPipe pipe;
    TBuf<> buf;
    LocalTensor<float> tile; // [faulty here]
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    PlusOne op;
    op.Run(in, out);
}
