// Ten halves are 20 bytes; the copy out moves blocks of 32.
// warning: COPY_LENGTH
// x: float16 10
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in, out;
    in.SetGlobalBuffer((__gm__ half *)x);
    out.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 32);
    LocalTensor<half> a = buf.Get<half>();
    DataCopyPad(a, in, DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<half>{});
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out, a, 10); // [faulty here]
    DataCopyPad(out, a, DataCopyExtParams{1, 20, 0, 0, 0}); // [correct]
}
