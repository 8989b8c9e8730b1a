#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one comes in while the other goes out

// Rows added into a copy of x: y = x, then y[index[i], :] += rows[i, :] for each i, in any order.
class KernelIndexAddRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR index, GM_ADDR rows, GM_ADDR y, const IndexAddRowsTilingData &tiling)
    {
        t = tiling;
        xGm.SetGlobalBuffer((__gm__ float *)x);
        indexGm.SetGlobalBuffer((__gm__ int64_t *)index);
        addedGm.SetGlobalBuffer((__gm__ float *)rows);
        yGm.SetGlobalBuffer((__gm__ float *)y);
        pipe.InitBuffer(rowQueue, COPIES, t.tileRows * t.stride * sizeof(float));
        pipe.InitBuffer(indexQueue, COPIES, AlignUp(t.tileRows, 8) * sizeof(int64_t));
    }

    __aicore__ inline void Process()
    {
        // Tiles go round the cores: core 0 takes the first, core 1 the second, ...
        const uint32_t step = GetBlockNum() * t.tileRows;
        for (uint32_t row = GetBlockIdx() * t.tileRows; row < t.rows; row += step) {
            const uint32_t rows = t.rows - row < t.tileRows ? t.rows - row : t.tileRows;
            Load(xGm, row, rows);
            LocalTensor<float> tile = rowQueue.DeQue<float>();
            const DataCopyExtParams run{static_cast<uint16_t>(rows), static_cast<uint32_t>(t.columns * sizeof(float)),
                                        0, 0, 0};
            DataCopyPad(yGm[static_cast<uint64_t>(row) * t.columns], tile, run);
            rowQueue.FreeTensor(tile);
        }
        SyncAll(); // the copy is complete: from here on rows of other cores are added to
        SetAtomicAdd<float>();
        for (uint32_t at = GetBlockIdx() * t.tileRows; at < t.count; at += step) {
            const uint32_t rows = t.count - at < t.tileRows ? t.count - at : t.tileRows;
            LocalTensor<int64_t> index = indexQueue.AllocTensor<int64_t>();
            DataCopyPad(index, indexGm[at],
                        DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(int64_t)), 0, 0, 0},
                        DataCopyPadExtParams<int64_t>{false, 0, 0, 0});
            indexQueue.EnQue(index);
            Load(addedGm, at, rows);
            Add(rows);
        }
        SetAtomicNone();
    }

private:
    __aicore__ inline void Load(const GlobalTensor<float> &from, uint32_t row, uint32_t rows)
    {
        LocalTensor<float> tile = rowQueue.AllocTensor<float>();
        const DataCopyExtParams run{static_cast<uint16_t>(rows), static_cast<uint32_t>(t.columns * sizeof(float)), 0, 0,
                                    0};
        DataCopyPad(tile, from[static_cast<uint64_t>(row) * t.columns], run,
                    DataCopyPadExtParams<float>{false, 0, 0, 0});
        rowQueue.EnQue(tile);
    }

    // Each row is a copy out of its own, to where its index says.
    __aicore__ inline void Add(uint32_t rows)
    {
        LocalTensor<int64_t> index = indexQueue.DeQue<int64_t>();
        // The queue makes the vector unit wait for the indices; it is the scalar unit that reads them.
        const event_t arrived = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(arrived);
        WaitFlag<HardEvent::MTE2_S>(arrived);
        LocalTensor<float> tile = rowQueue.DeQue<float>();
        const DataCopyExtParams one{1, static_cast<uint32_t>(t.columns * sizeof(float)), 0, 0, 0};
        for (uint32_t r = 0; r < rows; ++r) {
            DataCopyPad(yGm[static_cast<uint64_t>(index.GetValue(r)) * t.columns], tile[r * t.stride], one);
        }
        indexQueue.FreeTensor(index);
        rowQueue.FreeTensor(tile);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> indexQueue;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, COPIES> rowQueue; // from the copy in to the copy out
    GlobalTensor<float> xGm, addedGm, yGm;
    GlobalTensor<int64_t> indexGm;
    IndexAddRowsTilingData t; // what the host decided
};

extern "C" __global__ __aicore__ void index_add_rows(GM_ADDR x, GM_ADDR index, GM_ADDR rows, GM_ADDR y,
                                                     GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelIndexAddRows op;
    op.Init(x, index, rows, y, data);
    op.Process();
}
