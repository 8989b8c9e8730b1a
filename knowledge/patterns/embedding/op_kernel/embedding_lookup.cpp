#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one comes in while the other goes out

// Rows of a table, one for each index: y[i, :] = table[tokens[i], :].
template <typename T> class KernelEmbeddingLookup {
public:
    __aicore__ inline void Init(GM_ADDR table, GM_ADDR index, GM_ADDR y, const EmbeddingLookupTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.count - first < t.perCore ? t.count - first : t.perCore;
        tableGm.SetGlobalBuffer((__gm__ T *)table);
        indexGm.SetGlobalBuffer((__gm__ int64_t *)index + first);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        pipe.InitBuffer(rowQueue, COPIES, t.tileRows * t.stride * sizeof(T));
        pipe.InitBuffer(indexQueue, COPIES, AlignUp(t.tileRows, 8) * sizeof(int64_t));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < count; at += t.tileRows) {
            const uint32_t rows = count - at < t.tileRows ? count - at : t.tileRows;
            LoadIndices(at, rows);
            LoadRows(rows);
            // A row starts at a multiple of 32 bytes on chip; in global memory the rows follow one another.
            LocalTensor<T> tile = rowQueue.template DeQue<T>();
            const uint32_t bytes = t.columns * sizeof(T);
            const uint32_t gap = (t.stride * sizeof(T) - AlignUp(bytes, 32)) / 32;
            DataCopyPad(yGm[static_cast<uint64_t>(at) * t.columns], tile,
                        DataCopyExtParams{static_cast<uint16_t>(rows), bytes, gap, 0, 0});
            rowQueue.FreeTensor(tile);
        }
    }

private:
    __aicore__ inline void LoadIndices(uint32_t at, uint32_t rows)
    {
        LocalTensor<int64_t> index = indexQueue.AllocTensor<int64_t>();
        DataCopyPad(index, indexGm[at], DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(int64_t)), 0, 0, 0},
                    DataCopyPadExtParams<int64_t>{false, 0, 0, 0});
        indexQueue.EnQue(index);
    }

    __aicore__ inline void LoadRows(uint32_t rows)
    {
        LocalTensor<int64_t> index = indexQueue.DeQue<int64_t>();
        // The queue makes the vector unit wait for the indices; it is the scalar unit that reads them.
        const event_t arrived = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(arrived);
        WaitFlag<HardEvent::MTE2_S>(arrived);
        LocalTensor<T> tile = rowQueue.template AllocTensor<T>();
        const DataCopyExtParams one{1, static_cast<uint32_t>(t.columns * sizeof(T)), 0, 0, 0};
        for (uint32_t r = 0; r < rows; ++r) {
            DataCopyPad(tile[r * t.stride], tableGm[static_cast<uint64_t>(index.GetValue(r)) * t.columns], one,
                        DataCopyPadExtParams<T>{false, 0, 0, 0});
        }
        indexQueue.FreeTensor(index);
        rowQueue.EnQue(tile);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> indexQueue;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, COPIES> rowQueue; // from the copy in to the copy out
    GlobalTensor<T> tableGm, yGm;
    GlobalTensor<int64_t> indexGm;
    EmbeddingLookupTilingData t; // what the host decided
    uint32_t count = 0;          // indices of this core
};

extern "C" __global__ __aicore__ void embedding_lookup(GM_ADDR table, GM_ADDR tokens, GM_ADDR y, GM_ADDR workspace,
                                                       GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelEmbeddingLookup<DTYPE_TABLE> op;
    op.Init(table, tokens, y, data);
    op.Process();
}
