// Read a matrix of half numbers, WIDTH wide, into L1 in fractal order: each cube core takes TILES tiles of ROWS by COLUMNS,
// from left to right and then down.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if ASCEND_IS_AIC {
        GlobalTensor<half> in;
        in.SetGlobalBuffer((__gm__ half *)x);
        TPipe pipe;
        TBuf<TPosition::A1> memory;
        pipe.InitBuffer(memory, ROWS * COLUMNS * 2);
        LocalTensor<half> tile = memory.Get<half>();
        const uint32_t across = (WIDTH + COLUMNS - 1) / COLUMNS;
        for (uint32_t i = 0; i < TILES; ++i) {
            const uint32_t n = GetBlockIdx() * TILES + i;
            const uint64_t from = (uint64_t)(n / across) * ROWS * WIDTH + n % across * COLUMNS;
            DataCopy(tile, in[from], Nd2NzParams{1, ROWS, COLUMNS, 0, WIDTH, ROWS, 1, 0});
        }
    }
}
