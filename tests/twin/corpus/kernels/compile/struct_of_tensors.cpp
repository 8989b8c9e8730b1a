// A struct passes tensors from function to function.
// warning: TENSOR_MEMBER
// x: float32 64
// want: x + 1
#include "kernel_operator.h"
using namespace AscendC;

struct Tiles {
    LocalTensor<float> tile; // [faulty here]
    TBuf<> buf;
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    Tiles tiles;
    pipe.InitBuffer(tiles.buf, 256);
    tiles.tile = tiles.buf.Get<float>(); // [faulty]
    LocalTensor<float> a = tiles.tile; // [faulty]
    LocalTensor<float> a = tiles.buf.Get<float>(); // [correct]
    {
        DataCopy(a, in, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(a, a, 1.0f, 64);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out, a, 64);
    }
}
