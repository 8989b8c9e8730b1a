// The number of tiles is zero for a short input, and something is divided by it.
// warning: SCALAR_DIVISION
// x: int32 8
// want: x + 8
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> in, out;
    in.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    GET_TILING_DATA(data, tiling);
    volatile uint32_t tiles = data.total / 16; // [faulty]
    volatile uint32_t tiles = (data.total + 15) / 16; // [correct]
    const uint32_t each = data.total / tiles; // [here]
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 32);
    LocalTensor<int32_t> a = buf.Get<int32_t>();
    DataCopy(a, in, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(a, a, static_cast<int32_t>(each), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
