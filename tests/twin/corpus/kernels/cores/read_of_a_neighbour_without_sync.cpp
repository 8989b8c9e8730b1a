// A core reads what its neighbour leaves in the workspace, and does not wait for it.
// code: GM_RACE
// x: float32 64
// blocks: 2
// workspace: 256
// want: np.concatenate([x[32:], x[:32]])
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GlobalTensor<float> shared;
    shared.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 128);
    LocalTensor<float> a = buf.Get<float>();
    const uint32_t me = GetBlockIdx(), next = 1 - me;
    DataCopy(a, in[me * 32], 32);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(shared[me * 32], a, 32); // [faulty here]
    DataCopy(shared[me * 32], a, 32); // [correct]
    PipeBarrier<PIPE_ALL>();
    SyncAll(); // [correct]
    DataCopy(a, shared[next * 32], 32); // [here]
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(out[me * 32], a, 32);
}
