#include "kernel_operator.h"

using namespace AscendC;

class KernelChoose {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint64_t total, uint64_t perCore, uint32_t tile,
                                float alpha)
    {
        const uint64_t first = perCore * GetBlockIdx();
        length = total - first < perCore ? total - first : perCore;
        this->tile = tile;
        this->alpha = alpha;
        xGm.SetGlobalBuffer((__gm__ float *)x + first, length);
        yGm.SetGlobalBuffer((__gm__ float *)y + first, length);
        zGm.SetGlobalBuffer((__gm__ float *)z + first, length);
        pipe.InitBuffer(xQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(yQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(zQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(otherBuf, tile * sizeof(float));
        pipe.InitBuffer(maskBuf, tile / 8);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = 0; at < length; at += tile) {
            const uint32_t count = static_cast<uint32_t>(length - at < tile ? length - at : tile);
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t count)
    {
        const DataCopyExtParams one{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        LocalTensor<float> x = xQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[at], one, pad);
        xQueue.EnQue(x);
        LocalTensor<float> y = yQueue.AllocTensor<float>();
        DataCopyPad(y, yGm[at], one, pad);
        yQueue.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        const uint32_t whole = (count + 63) / 64 * 64; // Compare works on 256 bytes at a time
        LocalTensor<float> x = xQueue.DeQue<float>();
        LocalTensor<float> y = yQueue.DeQue<float>();
        LocalTensor<float> z = zQueue.AllocTensor<float>();
        LocalTensor<float> other = otherBuf.Get<float>();
        LocalTensor<uint8_t> mask = maskBuf.Get<uint8_t>();
        Compare(mask, x, y, CMPMODE::GT, whole);
        Muls(other, x, alpha, count);
        Sub(z, x, y, count);
        Select(z, mask, z, other, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        zQueue.EnQue(z);
        xQueue.FreeTensor(x);
        yQueue.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count)
    {
        const DataCopyExtParams one{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> z = zQueue.DeQue<float>();
        DataCopyPad(zGm[at], z, one);
        zQueue.FreeTensor(z);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> xQueue, yQueue;
    TQue<TPosition::VECOUT, 2> zQueue;
    TBuf<TPosition::VECCALC> otherBuf, maskBuf;
    GlobalTensor<float> xGm, yGm, zGm;
    uint64_t length = 0;
    uint32_t tile = 0;
    float alpha = 0;
};

extern "C" __global__ __aicore__ void choose(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelChoose op;
    op.Init(x, y, z, data.total, data.perCore, data.tile, data.alpha);
    op.Process();
}
