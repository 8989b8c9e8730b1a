// A table is written element by element and then copied: the copy does not look into the data cache.
// code: CACHE_CLEAN
// x: int32 8
// workspace: 64
// want: np.arange(8)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> in, out;
    in.SetGlobalBuffer((__gm__ int32_t *)x);
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    GlobalTensor<int32_t> table;
    table.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    for (int32_t i = 0; i < 8; ++i) {
        table.SetValue(i, i);
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(table); // [correct]
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    LocalTensor<int32_t> a = queue.AllocTensor<int32_t>();
    DataCopy(a, table, 8); // [here]
    queue.EnQue(a);
    a = queue.DeQue<int32_t>();
    DataCopy(out, a, 8);
    queue.FreeTensor(a);
}
