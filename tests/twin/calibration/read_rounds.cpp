// Read a matrix of half numbers, WIDTH wide, in tiles of 64 by 1024: each core takes ROWS of its rows, first a PARTS-th of
// their columns four times over, then the next.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<half> in;
    in.SetGlobalBuffer((__gm__ half *)x + (uint64_t)GetBlockIdx() * ROWS * WIDTH);
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 64 * 1024 * 2);
    LocalTensor<half> tile = memory.Get<half>();
    constexpr uint32_t part = WIDTH / PARTS;
    for (uint32_t from = 0; from < WIDTH; from += part) {
        for (uint32_t round = 0; round < 4; ++round) {
            for (uint32_t row = 0; row < ROWS; row += 64) {
                for (uint32_t column = from; column < from + part; column += 1024) {
                    const uint64_t at = (uint64_t)row * WIDTH + column;
                    DataCopyPad(tile, in[at], DataCopyExtParams{64, 2048, (WIDTH - 1024) * 2, 0, 0},
                                DataCopyPadExtParams<half>{});
                }
            }
        }
    }
}
