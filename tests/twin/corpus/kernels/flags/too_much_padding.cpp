// Nine floats of padding are more than a block.
// code: COPY_PADDING
// x: float32 5
// y: float32 8
// want: np.pad(x, (0, 3), constant_values=7)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<float> a = buf.Get<float>();
    const uint8_t right = 9; // [faulty]
    const uint8_t right = 3; // [correct]
    DataCopyPadExtParams<float> pad{true, 0, right, 7.0f};
    DataCopyPad(a, in, DataCopyExtParams{1, 20, 0, 0, 0}, pad); // [here]
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 8);
}
