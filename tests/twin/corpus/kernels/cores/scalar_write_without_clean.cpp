// A scalar result stays in the data cache; the core that adds them up does not see it.
// code: CACHE_CLEAN
// x: float32 8
// blocks: 2
// workspace: 256
// want: np.full(8, 3)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    GlobalTensor<float> partial;
    partial.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));
    const int64_t me = GetBlockIdx();
    partial.SetValue(me * 16, 1.0f + me);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(partial[me * 16]); // [correct]
    SyncAll();
    if (me == 0) {
        const float sum = partial.GetValue(0) + partial.GetValue(16); // [here]
        LocalTensor<float> a(TPosition::VECCALC, 0, 8);
        Duplicate(a, sum, 8);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out, a, 8);
    }
}
