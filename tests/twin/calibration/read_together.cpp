// Every core reads all of a matrix of 6144 by 512 half numbers past the second-level cache, in tiles of ROWS by 64, block of
// rows by block of rows. SHIFT: each core begins at another block.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in;
    in.SetGlobalBuffer((__gm__ half *)x);
    in.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, ROWS * 64 * 2);
    LocalTensor<half> tile = memory.Get<half>();
    constexpr uint32_t blocks = 6144 / ROWS;
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint32_t block = SHIFT ? (i + GetBlockIdx()) % blocks : i;
        for (uint32_t column = 0; column < 512; column += 64) {
            DataCopyPad(tile, in[block * ROWS * 512 + column], DataCopyExtParams{ROWS, 128, 896, 0, 0},
                        DataCopyPadExtParams<half>{});
        }
    }
}
