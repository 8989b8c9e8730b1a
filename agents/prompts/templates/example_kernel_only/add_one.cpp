#include "kernel_operator.h"
using namespace AscendC;

struct TilingDataDef {
    uint32_t total = 2331;       // 7 x 333 elements
    uint32_t perCore = 64;       // elements of one core, a multiple of 8 floats (32 bytes)
    uint32_t tileLength = 64;    // elements of one tile
};

class KernelAddOne {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const TilingDataDef& tiling)
    {
        const uint32_t begin = GetBlockIdx() * tiling.perCore;
        length_ = 0;
        if (begin < tiling.total) {
            const uint32_t left = tiling.total - begin;
            length_ = left < tiling.perCore ? left : tiling.perCore;
        }
        tileLength_ = tiling.tileLength;
        xGm_.SetGlobalBuffer((__gm__ float*)x + begin, length_);
        yGm_.SetGlobalBuffer((__gm__ float*)y + begin, length_);
        pipe_.InitBuffer(inQueue_, 2, tileLength_ * sizeof(float));
        pipe_.InitBuffer(outQueue_, 2, tileLength_ * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < length_; done += tileLength_) {
            const uint32_t left = length_ - done;
            const uint32_t count = left < tileLength_ ? left : tileLength_;
            CopyIn(done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count)
    {
        LocalTensor<float> x = inQueue_.AllocTensor<float>();
        DataCopyExtParams rows{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        DataCopyPad(x, xGm_[offset], rows, pad);
        inQueue_.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = inQueue_.DeQue<float>();
        LocalTensor<float> y = outQueue_.AllocTensor<float>();
        Adds(y, x, 1.0f, static_cast<int32_t>(count));
        outQueue_.EnQue(y);
        inQueue_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count)
    {
        LocalTensor<float> y = outQueue_.DeQue<float>();
        DataCopyExtParams rows{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPad(yGm_[offset], y, rows);
        outQueue_.FreeTensor(y);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> inQueue_;
    TQue<QuePosition::VECOUT, 1> outQueue_;
    GlobalTensor<float> xGm_;
    GlobalTensor<float> yGm_;
    uint32_t length_ = 0;
    uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    TilingDataDef tiling;
    KernelAddOne op;
    op.Init(x, y, tiling);
    op.Process();
}
