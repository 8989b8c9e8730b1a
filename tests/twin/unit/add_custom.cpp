// The kernel of add_test.cpp: float addition, its length in a tiling structure that is passed by value.
#include "kernel_operator.h"
#include "add_custom_tiling.h"

constexpr uint32_t kTile = 256;

class KernelAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t length)
    {
        tiles_ = length / AscendC::GetBlockNum() / kTile;
        const uint32_t offset = AscendC::GetBlockIdx() * tiles_ * kTile;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x) + offset, tiles_ * kTile);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + offset, tiles_ * kTile);
        zGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(z) + offset, tiles_ * kTile);
        pipe_.InitBuffer(inX_, 2, kTile * sizeof(float));
        pipe_.InitBuffer(inY_, 2, kTile * sizeof(float));
        pipe_.InitBuffer(out_, 2, kTile * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t i = 0; i < tiles_; ++i) {
            auto x = inX_.AllocTensor<float>();
            auto y = inY_.AllocTensor<float>();
            AscendC::DataCopy(x, xGm_[i * kTile], kTile);
            AscendC::DataCopy(y, yGm_[i * kTile], kTile);
            inX_.EnQue(x);
            inY_.EnQue(y);
            x = inX_.DeQue<float>();
            y = inY_.DeQue<float>();
            auto z = out_.AllocTensor<float>();
            AscendC::Add(z, x, y, kTile);
            out_.EnQue(z);
            inX_.FreeTensor(x);
            inY_.FreeTensor(y);
            z = out_.DeQue<float>();
            AscendC::DataCopy(zGm_[i * kTile], z, kTile);
            out_.FreeTensor(z);
        }
    }

private:
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX_, inY_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
    AscendC::GlobalTensor<float> xGm_, yGm_, zGm_;
    uint32_t tiles_ = 0;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddCustomTiling tiling)
{
    KernelAdd op;
    op.Init(x, y, z, tiling.length);
    op.Process();
}

#ifndef ASCENDC_CPU_DEBUG
void add_custom_do(uint32_t blockDim, void *stream, uint8_t *x, uint8_t *y, uint8_t *z, AddCustomTiling tiling)
{
    add_custom<<<blockDim, nullptr, stream>>>(x, y, z, tiling);
}
#endif
