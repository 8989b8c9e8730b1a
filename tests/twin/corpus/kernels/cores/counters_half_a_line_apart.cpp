// The cores' counters lie 32 bytes apart, which is half a line of a data cache.
// code: CACHE_LINE_SHARED
// x: int32 32
// y: int32 32
// blocks: 2
// zeroed: yes
// want: np.where(np.arange(32) % 16 == 0, np.arange(32) // 16 + 1, 0)
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<int32_t> out;
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    constexpr int64_t apart = 8; // [faulty]
    constexpr int64_t apart = 16; // [correct]
    for (int32_t count = 0; count <= GetBlockIdx(); ++count) {
        out.SetValue(GetBlockIdx() * apart, count + 1); // [here]
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
}
