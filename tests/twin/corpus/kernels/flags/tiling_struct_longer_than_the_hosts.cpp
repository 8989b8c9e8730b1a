// The kernel has a struct of its own for the tiling data, with a field that the host does not write.
// code: TILING_DATA
// x: float32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

struct Sizes {
    uint32_t total;
    uint32_t perCore;
    uint64_t rows; // [faulty]
};

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GET_TILING_DATA_WITH_STRUCT(Sizes, sizes, tiling); // [here]
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    DataCopy(a, in, sizes.total);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, sizes.total);
}
