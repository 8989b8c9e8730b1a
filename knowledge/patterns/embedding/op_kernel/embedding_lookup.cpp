#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

// y[i, :] = table[tokens[i], :]. The tokens are indices below the number of the table's rows; nothing checks that.
template <typename T> class KernelEmbeddingLookup {
public:
    __aicore__ inline void Init(GM_ADDR table, GM_ADDR tokens, GM_ADDR y, const EmbeddingLookupTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.count - first < t.perCore ? t.count - first : t.perCore;
        tableGm.SetGlobalBuffer((__gm__ T *)table);
        tokenGm.SetGlobalBuffer((__gm__ int64_t *)tokens + first);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        pipe.InitBuffer(rowQueue, COPIES, t.tileRows * t.pitch * sizeof(T));
        pipe.InitBuffer(tokenQueue, COPIES, AlignUp(t.tileRows, 8) * sizeof(int64_t));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < count; at += t.tileRows) {
            const uint32_t rows = count - at < t.tileRows ? count - at : t.tileRows;
            LoadTokens(at, rows);
            LoadRows(rows);
            // On chip a row takes a multiple of 16 elements, of float perhaps one block of 32 bytes more than it fills.
            LocalTensor<T> tile = rowQueue.template DeQue<T>();
            const uint32_t bytes = t.columns * sizeof(T);
            const uint32_t gap = (t.pitch * sizeof(T) - AlignUp(bytes, 32)) / 32;
            DataCopyPad(yGm[static_cast<uint64_t>(at) * t.columns], tile,
                        DataCopyExtParams{static_cast<uint16_t>(rows), bytes, gap, 0, 0});
            rowQueue.FreeTensor(tile);
        }
    }

private:
    __aicore__ inline void LoadTokens(uint32_t at, uint32_t rows)
    {
        LocalTensor<int64_t> tokens = tokenQueue.AllocTensor<int64_t>();
        DataCopyPad(tokens, tokenGm[at], DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(int64_t)), 0, 0, 0},
                    DataCopyPadExtParams<int64_t>{false, 0, 0, 0});
        tokenQueue.EnQue(tokens);
    }

    __aicore__ inline void LoadRows(uint32_t rows)
    {
        LocalTensor<int64_t> tokens = tokenQueue.DeQue<int64_t>();
        // DeQue makes the vector unit wait for the copy. The scalar unit, which reads the indices, needs its own event.
        const event_t arrived = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(arrived);
        WaitFlag<HardEvent::MTE2_S>(arrived);
        LocalTensor<T> tile = rowQueue.template AllocTensor<T>();
        const DataCopyExtParams one{1, static_cast<uint32_t>(t.columns * sizeof(T)), 0, 0, 0};
        for (uint32_t r = 0; r < rows; ++r) {
            DataCopyPad(tile[r * t.pitch], tableGm[static_cast<uint64_t>(tokens.GetValue(r)) * t.columns], one,
                        DataCopyPadExtParams<T>{false, 0, 0, 0});
        }
        tokenQueue.FreeTensor(tokens);
        rowQueue.EnQue(tile);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> tokenQueue;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, COPIES> rowQueue; // from the copy in to the copy out
    GlobalTensor<T> tableGm, yGm;
    GlobalTensor<int64_t> tokenGm;
    EmbeddingLookupTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;          // tokens of this core
};

extern "C" __global__ __aicore__ void embedding_lookup(GM_ADDR table, GM_ADDR tokens, GM_ADDR y, GM_ADDR workspace,
                                                       GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelEmbeddingLookup<DTYPE_TABLE> op;
    op.Init(table, tokens, y, data);
    op.Process();
}
