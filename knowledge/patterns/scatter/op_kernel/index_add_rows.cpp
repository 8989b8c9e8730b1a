#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// y = x, then y[index[i], :] += rows[i, :] for each i. The order of the additions, and so their rounding, differs from
// run to run. Indices have to be below the number of rows of x; nothing checks that.
class KernelIndexAddRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR index, GM_ADDR added, GM_ADDR y,
                                const IndexAddRowsTilingData &tiling)
    {
        t = tiling;
        xGm.SetGlobalBuffer((__gm__ float *)x);
        indexGm.SetGlobalBuffer((__gm__ int64_t *)index);
        addedGm.SetGlobalBuffer((__gm__ float *)added);
        yGm.SetGlobalBuffer((__gm__ float *)y);
        pipe.InitBuffer(rowQueue, COPIES, t.tileRows * t.pitch * sizeof(float));
        pipe.InitBuffer(indexQueue, COPIES, AlignUp(t.tileRows, 8) * sizeof(int64_t));
    }

    __aicore__ inline void Process()
    {
        // Tiles are dealt to the cores in turn.
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
        SyncAll(); // the copy is complete: a core may add to rows that another core copied
        SetAtomicAdd<float>();
        for (uint32_t at = GetBlockIdx() * t.tileRows; at < t.added; at += step) {
            const uint32_t rows = t.added - at < t.tileRows ? t.added - at : t.tileRows;
            LocalTensor<int64_t> index = indexQueue.AllocTensor<int64_t>();
            DataCopyPad(index, indexGm[at],
                        DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(int64_t)), 0, 0, 0},
                        DataCopyPadExtParams<int64_t>{false, 0, 0, 0});
            indexQueue.EnQue(index);
            Load(addedGm, at, rows);
            Add(rows);
        }
        SetAtomicNone(); // for later copies: those that have been issued keep their mode
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

    // Store each row by itself, to the row of y that its index names; SetAtomicAdd makes the copy add.
    __aicore__ inline void Add(uint32_t rows)
    {
        LocalTensor<int64_t> index = indexQueue.DeQue<int64_t>();
        // DeQue makes the vector unit wait for the copy. The scalar unit, which reads the indices, needs its own event.
        const event_t arrived = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(arrived);
        WaitFlag<HardEvent::MTE2_S>(arrived);
        LocalTensor<float> tile = rowQueue.DeQue<float>();
        const DataCopyExtParams one{1, static_cast<uint32_t>(t.columns * sizeof(float)), 0, 0, 0};
        for (uint32_t r = 0; r < rows; ++r) {
            DataCopyPad(yGm[static_cast<uint64_t>(index.GetValue(r)) * t.columns], tile[r * t.pitch], one);
        }
        indexQueue.FreeTensor(index);
        rowQueue.FreeTensor(tile);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> indexQueue;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, COPIES> rowQueue; // from the copy in to the copy out
    GlobalTensor<float> xGm, addedGm, yGm;
    GlobalTensor<int64_t> indexGm;
    IndexAddRowsTilingData t; // the tiling data: the host's header describes its fields
};

extern "C" __global__ __aicore__ void index_add_rows(GM_ADDR x, GM_ADDR index, GM_ADDR rows, GM_ADDR y,
                                                     GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelIndexAddRows op;
    op.Init(x, index, rows, y, data);
    op.Process();
}
