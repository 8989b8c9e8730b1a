#ifdef K_MAX_SHAPE_DIM
#undef K_MAX_SHAPE_DIM
#endif
#define K_MAX_SHAPE_DIM 0
#include "kernel_operator.h"
#include "kernel_operator_vec_unary_intf.h"

constexpr uint32_t TILE_BYTES = 512 * sizeof(float);

class KernelMaximumMacro {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                const MaximumMacroTilingData &tiling)
    {
        tiling_ = tiling;
        start_ = tiling_.perCore * static_cast<uint32_t>(AscendC::GetBlockIdx());
        const uint32_t left = start_ < tiling_.totalLength ? tiling_.totalLength - start_ : 0;
        share_ = left < tiling_.perCore ? left : tiling_.perCore;
        xGm_.SetGlobalBuffer((__gm__ float *)x + start_, share_);
        yGm_.SetGlobalBuffer((__gm__ float *)y + start_, share_);
        zGm_.SetGlobalBuffer((__gm__ float *)z + start_, share_);
        pipe_.InitBuffer(inX_, 2, TILE_BYTES);
        pipe_.InitBuffer(inY_, 2, TILE_BYTES);
        pipe_.InitBuffer(outZ_, 2, 512 * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        static_assert(TILE_BYTES * 4 < AscendC::TOTAL_VEC_LOCAL_SIZE, "the queues fit");
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
        auto x = inX_.AllocTensor<float>();
        AscendC::DataCopy(x, xGm_[at], count);
        inX_.EnQue(x);
        auto y = inY_.AllocTensor<float>();
        AscendC::DataCopy(y, yGm_[at], count);
        inY_.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t count)
    {
        auto x = inX_.DeQue<float>();
        auto y = inY_.DeQue<float>();
        auto z = outZ_.AllocTensor<float>();
        AscendC::Max(z, x, y, count);
        outZ_.EnQue(z);
        inX_.FreeTensor(x);
        inY_.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        auto z = outZ_.DeQue<float>();
        AscendC::DataCopy(zGm_[at], z, count);
        outZ_.FreeTensor(z);
    }
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> inX_, inY_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> outZ_;
    AscendC::GlobalTensor<float> xGm_, yGm_;
    AscendC::GlobalTensor<float> zGm_;
    MaximumMacroTilingData tiling_;
    uint32_t start_ = 0, share_ = 0;
};

extern "C" __global__ __aicore__ void maximum_macro(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(MaximumMacroTilingData, tilingData, tiling);
    KernelMaximumMacro op;
    op.Init(x, y, z, workspace, tilingData);
    op.Process();
}
