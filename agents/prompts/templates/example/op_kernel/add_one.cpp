#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class KernelAddOne {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t total, uint64_t perCore, uint32_t tileLength)
    {
        const uint64_t begin = GetBlockIdx() * perCore;
        length_ = begin >= total ? 0 : (total - begin < perCore ? total - begin : perCore);
        tileLength_ = tileLength;
        xGm_.SetGlobalBuffer((__gm__ T*)x + begin, length_);
        yGm_.SetGlobalBuffer((__gm__ T*)y + begin, length_);
        pipe_.InitBuffer(inQueue_, 2, tileLength * sizeof(T));
        pipe_.InitBuffer(outQueue_, 2, tileLength * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        for (uint64_t done = 0; done < length_; done += tileLength_) {
            const uint64_t left = length_ - done;
            const uint32_t count = static_cast<uint32_t>(left < tileLength_ ? left : tileLength_);
            CopyIn(done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t offset, uint32_t count)
    {
        LocalTensor<T> x = inQueue_.AllocTensor<T>();
        DataCopyExtParams rows{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        DataCopyPad(x, xGm_[offset], rows, pad);
        inQueue_.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> x = inQueue_.DeQue<T>();
        LocalTensor<T> y = outQueue_.AllocTensor<T>();
        Adds(y, x, static_cast<T>(1), static_cast<int32_t>(count));
        outQueue_.EnQue(y);
        inQueue_.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint64_t offset, uint32_t count)
    {
        LocalTensor<T> y = outQueue_.DeQue<T>();
        DataCopyExtParams rows{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm_[offset], y, rows);
        outQueue_.FreeTensor(y);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> inQueue_;
    TQue<QuePosition::VECOUT, 1> outQueue_;
    GlobalTensor<T> xGm_;
    GlobalTensor<T> yGm_;
    uint64_t length_ = 0;
    uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelAddOne<DTYPE_X> op;
    op.Init(x, y, data.total, data.perCore, data.tileLength);
    op.Process();
}
