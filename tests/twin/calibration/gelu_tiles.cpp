// y = x / (1 + exp(-1.595769 (x + 0.044715 x^3))) on floats, instruction by instruction, double buffered: each core takes
// TILES tiles of TILE elements.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x + TILES * TILE * GetBlockIdx());
    out.SetGlobalBuffer((__gm__ float *)y + TILES * TILE * GetBlockIdx());
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> qx;
    TQue<QuePosition::VECOUT, 1> qy;
    pipe.InitBuffer(qx, 2, TILE * 4);
    pipe.InitBuffer(qy, 2, TILE * 4);
    for (uint32_t i = 0; i < TILES; ++i) {
        LocalTensor<float> a = qx.AllocTensor<float>();
        DataCopy(a, in[i * TILE], TILE);
        qx.EnQue(a);
        a = qx.DeQue<float>();
        LocalTensor<float> b = qy.AllocTensor<float>();
        Mul(b, a, a, TILE);
        PipeBarrier<PIPE_V>();
        Mul(b, b, a, TILE);
        PipeBarrier<PIPE_V>();
        Muls(b, b, 0.044715f, TILE);
        PipeBarrier<PIPE_V>();
        Add(b, a, b, TILE);
        PipeBarrier<PIPE_V>();
        Muls(b, b, -1.595769f, TILE);
        PipeBarrier<PIPE_V>();
        Exp(b, b, TILE);
        PipeBarrier<PIPE_V>();
        Adds(b, b, 1.0f, TILE);
        PipeBarrier<PIPE_V>();
        Div(b, a, b, TILE);
        qy.EnQue(b);
        qx.FreeTensor(a);
        b = qy.DeQue<float>();
        DataCopy(out[i * TILE], b, TILE);
        qy.FreeTensor(b);
    }
}
