#include "kernel_operator.h"
using namespace AscendC;

template <typename T> class ScaleAddKernel {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR z, GM_ADDR y, uint64_t total, uint32_t perCore, uint32_t tile,
                                float alpha)
    {
        const uint64_t begin = static_cast<uint64_t>(GetBlockIdx()) * perCore;
        length_ = static_cast<uint32_t>(total - begin < perCore ? total - begin : perCore);
        tile_ = tile;
        alpha_ = static_cast<T>(alpha);
        xGm_.SetGlobalBuffer((__gm__ T *)x + begin, length_);
        zGm_.SetGlobalBuffer((__gm__ T *)z + begin, length_);
        yGm_.SetGlobalBuffer((__gm__ T *)y + begin, length_);
        pipe_.InitBuffer(xQueue_, 2, tile * sizeof(T));
        pipe_.InitBuffer(zQueue_, 2, tile * sizeof(T));
        pipe_.InitBuffer(yQueue_, 2, tile * sizeof(T));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < length_; at += tile_) {
            const uint32_t count = length_ - at < tile_ ? length_ - at : tile_;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        LocalTensor<T> x = xQueue_.template AllocTensor<T>();
        LocalTensor<T> z = zQueue_.template AllocTensor<T>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        DataCopyPad(x, xGm_[at], params, pad);
        DataCopyPad(z, zGm_[at], params, pad);
        xQueue_.EnQue(x);
        zQueue_.EnQue(z);
    }
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> x = xQueue_.template DeQue<T>();
        LocalTensor<T> z = zQueue_.template DeQue<T>();
        LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        Muls(y, z, alpha_, count);
        Add(y, y, x, count);
        yQueue_.EnQue(y);
        xQueue_.FreeTensor(x);
        zQueue_.FreeTensor(z);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        LocalTensor<T> y = yQueue_.template DeQue<T>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm_[at], y, params);
        yQueue_.FreeTensor(y);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> xQueue_, zQueue_;
    TQue<QuePosition::VECOUT, 2> yQueue_;
    GlobalTensor<T> xGm_, zGm_, yGm_;
    uint32_t length_, tile_;
    T alpha_;
};

extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR z, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    ScaleAddKernel<DTYPE_X> kernel;
    kernel.Init(x, z, y, data.total, data.perCore, data.tile, data.alpha);
    if (TILING_KEY_IS(1)) {
        kernel.Process();
    } else if (TILING_KEY_IS(2)) {
        kernel.Process();
    }
}
