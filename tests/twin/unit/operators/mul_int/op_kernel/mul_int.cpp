#include "kernel_operator.h"
#include "lib/math/kernel_operator_power_intf.h"

constexpr uint32_t TILE_BYTES = 512 * sizeof(int32_t);

class KernelMulInt {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, const MulIntTilingData &tiling)
    {
        tiling_ = tiling;
        start_ = tiling_.perCore * static_cast<uint32_t>(AscendC::GetBlockIdx());
        const uint32_t left = start_ < tiling_.totalLength ? tiling_.totalLength - start_ : 0;
        share_ = left < tiling_.perCore ? left : tiling_.perCore;
        xGm_.SetGlobalBuffer((__gm__ int32_t *)x + start_, share_);
        yGm_.SetGlobalBuffer((__gm__ int32_t *)y + start_, share_);
        zGm_.SetGlobalBuffer((__gm__ int32_t *)z + start_, share_);
        pipe_.InitBuffer(inX_, 2, TILE_BYTES);
        pipe_.InitBuffer(inY_, 2, TILE_BYTES);
        pipe_.InitBuffer(outZ_, 2, 512 * sizeof(int32_t));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < share_; at += tiling_.tileLength) {
            const uint32_t left = share_ - at;
            const uint32_t count = left < tiling_.tileLength ? left : tiling_.tileLength;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        auto x = inX_.AllocTensor<int32_t>();
        AscendC::DataCopy(x, xGm_[at], count);
        inX_.EnQue(x);
        auto y = inY_.AllocTensor<int32_t>();
        AscendC::DataCopy(y, yGm_[at], count);
        inY_.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t count)
    {
        auto x = inX_.DeQue<int32_t>();
        auto y = inY_.DeQue<int32_t>();
        auto z = outZ_.AllocTensor<int32_t>();
        AscendC::Mul(z, x, y, count);
        outZ_.EnQue(z);
        inX_.FreeTensor(x);
        inY_.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        auto z = outZ_.DeQue<int32_t>();
        AscendC::DataCopy(zGm_[at], z, count);
        outZ_.FreeTensor(z);
    }
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> inX_, inY_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> outZ_;
    AscendC::GlobalTensor<int32_t> xGm_, yGm_;
    AscendC::GlobalTensor<int32_t> zGm_;
    MulIntTilingData tiling_;
    uint32_t start_ = 0, share_ = 0;
};

extern "C" __global__ __aicore__ void mul_int(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(tilingData, tiling);
    KernelMulInt op;
    op.Init(x, y, z, workspace, tilingData);
#if TILING_KEY_VAR == 3
    op.Process();
#endif
}
