#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t COPIES = 2; // of each transfer buffer: one moves while the other is computed

constexpr uint32_t LANES = 64;   // rows that are summed together: one repeat of float
constexpr uint32_t SEGMENT = 16; // columns that are summed one after the other
constexpr uint32_t SQUARE = 16;  // TransDataTo5HD takes sixteen rows at a time
constexpr uint32_t IN_BLOCK = 8; // floats in a block of 32 bytes

// The running sum of each row: y[r, c] = x[r, 0] + ... + x[r, c].
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
        pipe.InitBuffer(wideBuf, std::is_same_v<T, float> ? 32 : LANES * t.piece * sizeof(float));
        pipe.InitBuffer(turnedBuf, LANES * t.piece * sizeof(float));
        pipe.InitBuffer(carryBuf, LANES * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        Duplicate(turnedBuf.Get<float>(), 0.0f, LANES * t.piece); // a short first tile leaves columns unwritten
        const uint32_t pieces = DivCeil(t.columns, t.piece);
        const uint32_t tiles = DivCeil(count, LANES) * pieces;
        // The scalar unit issues in order and stops when the vector unit's queue is full: the next tile is asked for before
        // this one's many instructions are issued.
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

    // The tile's rows, with the gap from the end of one to the start of the next: bytes in global memory, blocks on chip.
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
        LocalTensor<float> turned = turnedBuf.Get<float>(), carry = carryBuf.Get<float>(), wide;
        if constexpr (std::is_same_v<T, float>) {
            wide = x;
        } else {
            wide = wideBuf.Get<float>(); // 16-bit sums would lose the small elements
            Cast(wide, x, RoundMode::CAST_NONE, LANES * t.piece);
        }
        Turn(turned, wide, LANES, t.piece, length);
        inQueue.FreeTensor(x);
        SumColumns(turned, carry);
        Adds(carry, turned[(length - 1) * LANES], 0.0f, LANES);
        LocalTensor<T> y = outQueue.AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            Turn(y, turned, t.piece, LANES, LANES);
        } else {
            Turn(wide, turned, t.piece, LANES, LANES);
            Cast(y, wide, RoundMode::CAST_RINT, LANES * t.piece);
        }
        outQueue.EnQue(y);
    }

    // Add each column to the next, in two steps, so that instructions are long: column c of all segments to column c + 1 of
    // all segments, one repeat each; then, segment after segment, what came before to all of its columns.
    __aicore__ inline void SumColumns(const LocalTensor<float> &turned, const LocalTensor<float> &carry)
    {
        constexpr uint32_t apart = SEGMENT * LANES / IN_BLOCK; // blocks from segment to segment
        const uint8_t segments = t.piece / SEGMENT;
        for (uint32_t c = 1; c < SEGMENT; ++c) {
            Add(turned[c * LANES], turned[c * LANES], turned[(c - 1) * LANES], LANES, segments,
                {1, 1, 1, apart, apart, apart});
        }
        for (uint32_t first = 0; first < t.piece; first += SEGMENT) {
            const LocalTensor<float> before = first == 0 ? carry : turned[(first - 1) * LANES];
            Add(turned[first * LANES], turned[first * LANES], before, LANES, SEGMENT,
                {1, 1, 1, 8, 8, 0}); // the same again
        }
    }

    // Exchange rows and columns. Sixteen rows at a time become columns; one repeat takes a block of eight floats of each. A
    // column is then sixteen floats, two blocks, so entries 2i and 2i + 1 of the destination are column i.
    __aicore__ inline void Turn(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t rows,
                                uint32_t columns, uint32_t wanted)
    {
        uint64_t source[SQUARE], target[SQUARE];
        for (uint32_t i = 0; i < SQUARE; ++i) {
            source[i] = reinterpret_cast<uint64_t>(from.GetPhyAddr()) + i * columns * sizeof(float);
            target[i] = reinterpret_cast<uint64_t>(to.GetPhyAddr()) + (i / 2 * rows + i % 2 * IN_BLOCK) * sizeof(float);
        }
        const uint8_t repeats = DivCeil(wanted, IN_BLOCK);
        const bool several = repeats > 1; // a single repeat wants strides of 0
        for (uint32_t top = 0; top < rows; top += SQUARE) {
            TransDataTo5HD<float>(target, source,
                                  TransDataTo5HDParams(false, false, repeats, several ? rows : 0, several ? 1 : 0));
            for (uint32_t i = 0; i < SQUARE; ++i) {
                source[i] += SQUARE * columns * sizeof(float);
                target[i] += SQUARE * sizeof(float);
            }
        }
    }

    TPipe pipe;
    TQue<TPosition::VECIN, COPIES> inQueue;
    TQue<TPosition::VECOUT, COPIES> outQueue;
    TBuf<TPosition::VECCALC> wideBuf, turnedBuf, carryBuf;
    GlobalTensor<T> xGm, yGm;
    CumsumRowsTilingData t; // what the host decided
    uint32_t count = 0; // rows of this core
};

extern "C" __global__ __aicore__ void cumsum_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelCumsumRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
