#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // buffers of a queue: copies use one while the vector unit works on the other

constexpr uint32_t LANES = 64;   // rows of a tile: the lanes of a repeat of float
constexpr uint32_t SEGMENT = 16; // columns that are added one after the other
constexpr uint32_t SQUARE = 16;  // TransDataTo5HD takes sixteen rows at a time
constexpr uint32_t IN_BLOCK = 8; // floats in a block of 32 bytes

// y[r, c] = x[r, 0] + ... + x[r, c]. A tile is transposed: one instruction adds a column of 64 rows to the next.
template <typename T> class KernelCumsumRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const CumsumRowsTilingData &tiling)
    {
        t = tiling;
        const uint64_t first = static_cast<uint64_t>(t.perCore) * GetBlockIdx();
        count = t.rows - first < t.perCore ? t.rows - first : t.perCore;
        xGm.SetGlobalBuffer((__gm__ T *)x + first * t.columns);
        yGm.SetGlobalBuffer((__gm__ T *)y + first * t.columns);
        pipe.InitBuffer(inQueue, COPIES, LANES * t.piece * sizeof(T));
        pipe.InitBuffer(outQueue, COPIES, LANES * t.piece * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) { // 16-bit types are computed in float
            pipe.InitBuffer(wideBuf, LANES * t.piece * sizeof(float));
        }
        pipe.InitBuffer(transposedBuf, LANES * t.piece * sizeof(float));
        pipe.InitBuffer(carryBuf, LANES * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        Duplicate(transposedBuf.Get<float>(), 0.0f, LANES * t.piece); // SumColumns takes all columns, written or not
        const uint32_t pieces = DivCeil(t.columns, t.piece);
        const uint32_t tiles = DivCeil(count, LANES) * pieces;
        // Compute issues more instructions than the vector unit's queue holds, and the scalar unit stops while it is
        // full: the next tile's copy is issued first.
        CopyIn(0, 0);
        for (uint32_t i = 0; i < tiles; ++i) {
            if (i + 1 < tiles) {
                CopyIn((i + 1) / pieces * LANES, (i + 1) % pieces * t.piece);
            }
            const uint32_t row = i / pieces * LANES, column = i % pieces * t.piece;
            if (column == 0) {
                Duplicate(carryBuf.Get<float>(), 0.0f, LANES);
            }
            Compute(t.columns - column < t.piece ? t.columns - column : t.piece);
            LocalTensor<T> y = outQueue.DeQue<T>();
            DataCopyPad(yGm[static_cast<uint64_t>(row) * t.columns + column], y, Window(row, column, false));
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row, uint32_t column)
    {
        LocalTensor<T> x = inQueue.AllocTensor<T>();
        DataCopyPad(x, xGm[static_cast<uint64_t>(row) * t.columns + column], Window(row, column, true),
                    DataCopyPadExtParams<T>{false, 0, 0, 0});
        inQueue.EnQue(x);
    }

    // The tile's rows. Gaps between them: bytes in global memory, blocks of 32 bytes on chip.
    __aicore__ inline DataCopyExtParams Window(uint32_t row, uint32_t column, bool in)
    {
        const uint16_t rows = count - row < LANES ? count - row : LANES;
        const uint32_t bytes = (t.columns - column < t.piece ? t.columns - column : t.piece) * sizeof(T);
        const uint32_t rest = static_cast<uint32_t>(t.columns * sizeof(T)) - bytes;
        const uint32_t gap = (t.piece * sizeof(T) - AlignUp(bytes, 32)) / 32;
        return DataCopyExtParams{rows, bytes, in ? rest : gap, in ? gap : rest, 0};
    }

    __aicore__ inline void Compute(uint32_t length)
    {
        LocalTensor<T> x = inQueue.DeQue<T>();
        LocalTensor<float> transposed = transposedBuf.Get<float>(), carry = carryBuf.Get<float>(), wide;
        if constexpr (std::is_same_v<T, float>) {
            wide = x;
        } else {
            wide = wideBuf.Get<float>(); // sums in half would lose the small elements
            Cast(wide, x, RoundMode::CAST_NONE, LANES * t.piece);
        }
        TransposeTile(transposed, wide, LANES, t.piece, length);
        inQueue.FreeTensor(x);
        SumColumns(transposed, carry);
        Adds(carry, transposed[(length - 1) * LANES], 0.0f, LANES); // a copy on chip
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            TransposeTile(y, transposed, t.piece, LANES, LANES);
        } else {
            TransposeTile(wide, transposed, t.piece, LANES, LANES);
            Cast(y, wide, RoundMode::CAST_RINT, LANES * t.piece);
        }
        outQueue.EnQue(y);
    }

    // Two steps, a repeat per column. First add column c - 1 to column c in all segments of 16 columns at once; then,
    // segment by segment, add the last column of the segment before (or the carry) to all 16 columns.
    __aicore__ inline void SumColumns(const LocalTensor<float> &transposed, const LocalTensor<float> &carry)
    {
        constexpr uint32_t apart = SEGMENT * LANES / IN_BLOCK; // blocks from segment to segment
        const uint8_t segments = t.piece / SEGMENT;
        for (uint32_t c = 1; c < SEGMENT; ++c) {
            Add(transposed[c * LANES], transposed[c * LANES], transposed[(c - 1) * LANES], LANES, segments,
                {1, 1, 1, apart, apart, apart});
        }
        for (uint32_t first = 0; first < t.piece; first += SEGMENT) {
            const LocalTensor<float> before = first == 0 ? carry : transposed[(first - 1) * LANES];
            Add(transposed[first * LANES], transposed[first * LANES], before, LANES, SEGMENT,
                {1, 1, 1, 8, 8, 0}); // repeat stride 0: one column for all
        }
    }

    // Transpose `rows` rows of pitch `pitch`, of which the first `columns` columns are wanted. A call takes sixteen
    // rows, a repeat of it eight columns: entries 2i and 2i + 1 of the destination are the two blocks of column i. A
    // repeat moves on by eight columns of `rows` floats, which is `rows` blocks.
    __aicore__ inline void TransposeTile(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t rows,
                                         uint32_t pitch, uint32_t columns)
    {
        uint64_t source[SQUARE], target[SQUARE];
        for (uint32_t i = 0; i < SQUARE; ++i) {
            source[i] = reinterpret_cast<uint64_t>(from.GetPhyAddr()) + i * pitch * sizeof(float);
            target[i] = reinterpret_cast<uint64_t>(to.GetPhyAddr()) + (i / 2 * rows + i % 2 * IN_BLOCK) * sizeof(float);
        }
        const uint8_t repeats = DivCeil(columns, IN_BLOCK);
        const bool several = repeats > 1; // a single repeat requires strides of 0
        for (uint32_t top = 0; top < rows; top += SQUARE) {
            TransDataTo5HD<float>(target, source,
                                  TransDataTo5HDParams(false, false, repeats, several ? rows : 0, several ? 1 : 0));
            for (uint32_t i = 0; i < SQUARE; ++i) {
                source[i] += SQUARE * pitch * sizeof(float);
                target[i] += SQUARE * sizeof(float);
            }
        }
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> wideBuf, transposedBuf, carryBuf;
    GlobalTensor<T> xGm, yGm;
    CumsumRowsTilingData t; // the tiling data: the host's header describes its fields
    uint32_t count = 0;     // rows of this core
};

extern "C" __global__ __aicore__ void cumsum_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelCumsumRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
