#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// y[r, j] = x[r, index[r, j]]. Indices have to be below the number of columns; nothing checks that.
template <typename T> class KernelTakeAlongRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR index, GM_ADDR y, const TakeAlongRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        indexGm.SetGlobalBuffer((__gm__ int64_t *)index + first * t.indices);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.indices);
        pipe.InitBuffer(rowQueue, COPIES, AlignUp(t.columns * sizeof(T), 32));
        pipe.InitBuffer(indexQueue, COPIES, t.piece * sizeof(int64_t));
        pipe.InitBuffer(outQueue, COPIES, t.piece * sizeof(T));
        pipe.InitBuffer(offsetBuf, t.piece * sizeof(int32_t));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < count; ++row) {
            LocalTensor<T> xRow = rowQueue.AllocTensor<T>();
            Load(xRow, xGm[static_cast<uint64_t>(row) * t.columns], t.columns);
            rowQueue.EnQue(xRow);
            xRow = rowQueue.DeQue<T>();
            for (uint32_t at = 0; at < t.indices; at += t.piece) {
                const uint32_t length = t.indices - at < t.piece ? t.indices - at : t.piece;
                const uint64_t position = static_cast<uint64_t>(row) * t.indices + at;
                LocalTensor<int64_t> index = indexQueue.AllocTensor<int64_t>();
                Load(index, indexGm[position], length);
                indexQueue.EnQue(index);
                Pick(xRow, length);
                LocalTensor<T> y = outQueue.DeQue<T>();
                DataCopyPad(yGm[position], y, DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0});
                outQueue.FreeTensor(y);
            }
            rowQueue.FreeTensor(xRow);
        }
    }

private:
    __aicore__ inline void Pick(const LocalTensor<T> &xRow, uint32_t length)
    {
        LocalTensor<int64_t> index = indexQueue.DeQue<int64_t>();
        LocalTensor<int32_t> offset = offsetBuf.Get<int32_t>();
        Cast(offset, index, RoundMode::CAST_NONE, length);
        indexQueue.FreeTensor(index);
        Muls(offset, offset, static_cast<int32_t>(sizeof(T)), length); // Gather counts in bytes
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        Gather(y, xRow, offset.ReinterpretCast<uint32_t>(), 0, length);
        outQueue.EnQue(y);
    }

    template <typename U>
    __aicore__ inline void Load(const LocalTensor<U> &to, const GlobalTensor<U> &from, uint32_t length)
    {
        DataCopyPad(to, from, DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(U)), 0, 0, 0},
                    DataCopyPadExtParams<U>{false, 0, 0, 0});
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> rowQueue, indexQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> offsetBuf;
    GlobalTensor<T> xGm, yGm;
    GlobalTensor<int64_t> indexGm;
    TakeAlongRowsTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;        // rows of this core
};

extern "C" __global__ __aicore__ void take_along_rows(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace,
                                                      GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelTakeAlongRows<DTYPE_X> op;
    op.Init(x, index, y, data);
    op.Process();
}
