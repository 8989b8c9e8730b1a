// Read a matrix of half numbers, WIDTH wide: each core takes TILES tiles of ROWS by COLUMNS, from left to right and then
// down, ROUNDS times over.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in;
    in.SetGlobalBuffer((__gm__ half *)x);
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, ROWS * COLUMNS * 2);
    LocalTensor<half> tile = memory.Get<half>();
    const uint32_t across = (WIDTH + COLUMNS - 1) / COLUMNS;
    const DataCopyExtParams rows{ROWS, COLUMNS * 2, (WIDTH - COLUMNS) * 2, 0, 0};
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        for (uint32_t i = 0; i < TILES; ++i) {
            const uint32_t n = GetBlockIdx() * TILES + i;
            const uint64_t from = (uint64_t)(n / across) * ROWS * WIDTH + n % across * COLUMNS;
            DataCopyPad(tile, in[from], rows, DataCopyPadExtParams<half>{});
        }
    }
}
