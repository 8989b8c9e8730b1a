#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class BlendAddKernel {
public:
    __aicore__ inline BlendAddKernel() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR weight, GM_ADDR z, const BlendAddTilingData &tiling)
    {
        tile_ = tiling.tile;
        shift_ = tiling.shift;
        const uint32_t start = GetBlockIdx() * tiling.per_core;
        length_ = tiling.total - start < tiling.per_core ? tiling.total - start : tiling.per_core;
        x_gm_.SetGlobalBuffer((__gm__ T *)x + start, length_);
        y_gm_.SetGlobalBuffer((__gm__ T *)y + start, length_);
        z_gm_.SetGlobalBuffer((__gm__ T *)z + start, length_);
        weight_ = static_cast<float>(static_cast<int32_t>(((__gm__ DTYPE_WEIGHT *)weight)[0]));
        if constexpr (std::is_same_v<DTYPE_WEIGHT, float>) {
            weight_ = ((__gm__ float *)weight)[0];
        }
        pipe_.InitBuffer(in_x_, 2, tile_ * sizeof(T));
        pipe_.InitBuffer(in_y_, 2, tile_ * sizeof(T));
        pipe_.InitBuffer(out_, 2, tile_ * sizeof(T));
        pipe_.InitBuffer(float_x_, tile_ * sizeof(float));
        pipe_.InitBuffer(float_y_, tile_ * sizeof(float));
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
        const DataCopyExtParams length{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> padding{false, 0, 0, 0};
        LocalTensor<T> x = in_x_.AllocTensor<T>();
        LocalTensor<T> y = in_y_.AllocTensor<T>();
        DataCopyPad(x, x_gm_[at], length, padding);
        DataCopyPad(y, y_gm_[at], length, padding);
        in_x_.EnQue(x);
        in_y_.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> x = in_x_.DeQue<T>();
        LocalTensor<T> y = in_y_.DeQue<T>();
        LocalTensor<T> z = out_.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Muls(z, y, weight_, count);
            Add(z, z, x, count);
            Adds(z, z, shift_, count);
        } else {
            LocalTensor<float> fx = float_x_.Get<float>();
            LocalTensor<float> fy = float_y_.Get<float>();
            Cast(fx, x, RoundMode::CAST_NONE, count);
            Cast(fy, y, RoundMode::CAST_NONE, count);
            Muls(fy, fy, weight_, count);
            Add(fx, fx, fy, count);
            Adds(fx, fx, shift_, count);
            if constexpr (std::is_same_v<T, int32_t>) {
                Cast(z, fx, RoundMode::CAST_TRUNC, count);
            } else {
                Cast(z, fx, RoundMode::CAST_RINT, count);
            }
        }
        out_.EnQue(z);
        in_x_.FreeTensor(x);
        in_y_.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        const DataCopyExtParams length{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        LocalTensor<T> z = out_.DeQue<T>();
        DataCopyPad(z_gm_[at], z, length);
        out_.FreeTensor(z);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> in_x_;
    TQue<QuePosition::VECIN, 2> in_y_;
    TQue<QuePosition::VECOUT, 2> out_;
    TBuf<QuePosition::VECCALC> float_x_;
    TBuf<QuePosition::VECCALC> float_y_;
    GlobalTensor<T> x_gm_;
    GlobalTensor<T> y_gm_;
    GlobalTensor<T> z_gm_;
    uint32_t tile_ = 0;
    uint32_t length_ = 0;
    float shift_ = 0;
    float weight_ = 0;
};

extern "C" __global__ __aicore__ void blend_add(
    GM_ADDR x, GM_ADDR y, GM_ADDR weight, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    BlendAddKernel<DTYPE_X> kernel;
    kernel.Init(x, y, weight, z, data);
    kernel.Process();
}
