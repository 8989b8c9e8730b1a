#include "kernel_operator.h"
using namespace AscendC;
// TOP

class ScaleShift {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t perCore, uint32_t tile)
    {
        uint32_t start = GetBlockIdx() * perCore;
        length = start >= total ? 0 : (total - start < perCore ? total - start : perCore);
        tileLength = tile;
        xGm.SetGlobalBuffer((__gm__ float *)x + start, length);
        yGm.SetGlobalBuffer((__gm__ float *)y + start, length);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < length; done += tileLength) {
            uint32_t count = length - done < tileLength ? length - done : tileLength;
            Tile(done, count);
        }
    }

private:
    __aicore__ inline void Tile(uint32_t offset, uint32_t count)
    {
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        LocalTensor<float> in = inQueue.AllocTensor<float>();
        DataCopyPad(in, xGm[offset], copy, pad);
        inQueue.EnQue(in);
        in = inQueue.DeQue<float>();
        LocalTensor<float> out = outQueue.AllocTensor<float>();
        // COMPUTE
        Muls(out, in, 2.0f, count);
        Adds(out, out, 0.5f, count);
        // END
        inQueue.FreeTensor(in);
        outQueue.EnQue(out);
        out = outQueue.DeQue<float>();
        DataCopyPad(yGm[offset], out, copy);
        outQueue.FreeTensor(out);
    }
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    GlobalTensor<float> xGm, yGm;
    uint32_t length, tileLength;
};

extern "C" __global__ __aicore__ void scale_shift(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    // ENTRY
    ScaleShift op;
    op.Init(x, y, t.total, t.perCore, t.tile);
    op.Process();
}
