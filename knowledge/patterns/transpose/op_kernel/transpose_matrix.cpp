#include "kernel_operator.h"

using namespace AscendC;

// One buffer for input and one for output: two of 64 KB each would not fit. The next tile is loaded while the last one
// is stored; only the transposition on chip, a tenth of a tile's time, overlaps with no copy.
constexpr int32_t COPIES = 1;
constexpr uint32_t SQUARE = 16; // TransDataTo5HD takes sixteen rows at a time

// y[b, c, r] = x[b, r, c], in square tiles.
template <typename T> class KernelTransposeMatrix {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const TransposeMatrixTilingData &tiling)
    {
        t = tiling;
        xGm.SetGlobalBuffer((__gm__ T *)x);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        pipe.InitBuffer(inQueue, COPIES, t.side * t.side * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, t.side * t.side * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        const uint32_t tilesOfOne = t.tilesDown * t.tilesAcross;
        for (uint32_t tile = GetBlockIdx(); tile < t.batch * tilesOfOne; tile += GetBlockNum()) {
            const uint64_t matrix = static_cast<uint64_t>(tile / tilesOfOne) * t.rows * t.columns;
            const uint32_t top = tile % tilesOfOne / t.tilesAcross * t.side;
            const uint32_t left = tile % tilesOfOne % t.tilesAcross * t.side;
            const uint32_t rows = t.rows - top < t.side ? t.rows - top : t.side;
            const uint32_t columns = t.columns - left < t.side ? t.columns - left : t.side;
            LocalTensor<T> x = inQueue.AllocTensor<T>();
            DataCopyPad(x, xGm[matrix + static_cast<uint64_t>(top) * t.columns + left],
                        Window(rows, columns, t.columns, true), DataCopyPadExtParams<T>{false, 0, 0, 0});
            inQueue.EnQue(x);
            TransposeTile(rows, columns);
            LocalTensor<T> y = outQueue.DeQue<T>();
            DataCopyPad(yGm[matrix + static_cast<uint64_t>(left) * t.rows + top], y,
                        Window(columns, rows, t.rows, false));
            outQueue.FreeTensor(y);
        }
    }

private:
    // `rows` runs of `columns` elements. Gaps between runs: bytes in global memory, where a row has `whole` elements,
    // blocks of 32 bytes on chip, where a row has `side` elements.
    __aicore__ inline DataCopyExtParams Window(uint32_t rows, uint32_t columns, uint32_t whole, bool in)
    {
        const uint32_t bytes = columns * sizeof(T);
        const uint32_t gapGm = static_cast<uint32_t>((whole - columns) * sizeof(T));
        const uint32_t gapUb = (t.side * sizeof(T) - AlignUp(bytes, 32)) / 32;
        return DataCopyExtParams{static_cast<uint16_t>(rows), bytes, in ? gapGm : gapUb, in ? gapUb : gapGm, 0};
    }

    // A call transposes sixteen rows; a repeat of it takes a block of 32 bytes of each. The next repeat's source is one
    // block on; its destination is 32 / sizeof(T) rows of side * sizeof(T) bytes on, which is `side` blocks.
    __aicore__ inline void TransposeTile(uint32_t rows, uint32_t columns)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        constexpr uint32_t inBlock = 32 / sizeof(T);
        const uint8_t repeats = DivCeil(columns, inBlock);
        const bool several = repeats > 1; // a single repeat requires strides of 0
        const uint16_t down = several ? t.side : 0;
        // The lists hold addresses, for building sixteen tensors for each call would take longer than the call. Entry i
        // of a 16-bit destination is column i; sixteen floats are two blocks: entries 2i and 2i + 1 are column i.
        const uint32_t pitch = t.side * sizeof(T);
        uint64_t from[SQUARE], to[SQUARE];
        for (uint32_t i = 0; i < SQUARE; ++i) {
            from[i] = reinterpret_cast<uint64_t>(x.GetPhyAddr()) + i * pitch;
            to[i] =
                reinterpret_cast<uint64_t>(y.GetPhyAddr()) + (sizeof(T) == 2 ? i * pitch : i / 2 * pitch + i % 2 * 32);
        }
        for (uint32_t top = 0; top < rows; top += SQUARE) {
            TransDataTo5HD<T>(to, from, TransDataTo5HDParams(false, false, repeats, down, several ? 1 : 0));
            for (uint32_t i = 0; i < SQUARE; ++i) {
                from[i] += SQUARE * pitch;
                to[i] += SQUARE * sizeof(T);
            }
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    GlobalTensor<T> xGm, yGm;
    TransposeMatrixTilingData t; // the tiling data: the host's header describes its fields
};

extern "C" __global__ __aicore__ void transpose_matrix(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    // Only widths matter to a copy: 16-bit types are moved as half.
    KernelTransposeMatrix<std::conditional_t<sizeof(DTYPE_X) == 2, half, float>> op;
    op.Init(x, y, data);
    op.Process();
}
