// The kernel takes a workspace and the tiling function asked for none.
// code: GM_OVERRUN
// x: int32 64
// want: x
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> in, out;
    in.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<int32_t> a = buf.Get<int32_t>();
    GlobalTensor<int32_t> user;
    user.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(user[1024], a, 64); // [faulty here]
    DataCopy(out, a, 64);
}
