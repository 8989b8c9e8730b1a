// Reductions. Padding and what lies behind the extent never take part.

// tile: TileReducers
struct TileSum {
    static __aicore__ inline void Fold(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                       const LocalTensor<float> &b, int32_t count)
    {
        Add(d, a, b, count);
    }
    static __aicore__ inline void Fold(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                       const LocalTensor<float> &b, uint64_t mask, uint8_t repeat,
                                       const BinaryRepeatParams &strides)
    {
        Add(d, a, b, mask, repeat, strides);
    }
    static __aicore__ inline void Blocks(const LocalTensor<float> &d, const LocalTensor<float> &a, int32_t repeat)
    {
        BlockReduceSum(d, a, repeat, 64, 1, 1, 8);
    }
    static __aicore__ inline void Whole(const LocalTensor<float> &d, const LocalTensor<float> &a, int32_t mask,
                                        int32_t repeat, int32_t stride)
    {
        WholeReduceSum(d, a, mask, repeat, 1, 1, stride);
    }
    static __aicore__ inline void One(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &, int32_t mask)
    {
        WholeReduceSum(d, a, mask, 1, 1, 1, 8);
    }
};

struct TileMaximum {
    static __aicore__ inline void Fold(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                       const LocalTensor<float> &b, int32_t count)
    {
        Max(d, a, b, count);
    }
    static __aicore__ inline void Fold(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                       const LocalTensor<float> &b, uint64_t mask, uint8_t repeat,
                                       const BinaryRepeatParams &strides)
    {
        Max(d, a, b, mask, repeat, strides);
    }
    static __aicore__ inline void Blocks(const LocalTensor<float> &d, const LocalTensor<float> &a, int32_t repeat)
    {
        BlockReduceMax(d, a, repeat, 64, 1, 1, 8);
    }
    static __aicore__ inline void Whole(const LocalTensor<float> &d, const LocalTensor<float> &a, int32_t mask,
                                        int32_t repeat, int32_t stride)
    {
        WholeReduceMax(d, a, mask, repeat, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE);
    }
    // A result anywhere: this instruction wants 8-byte aligned ones, a sum of one element does not. `lanes` may be `a`.
    static __aicore__ inline void One(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &lanes, int32_t mask)
    {
        WholeReduceMax(lanes, a, mask, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        WholeReduceSum(d, lanes, 1, 1, 1, 1, 8);
    }
};

struct TileMinimum {
    static __aicore__ inline void Fold(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                       const LocalTensor<float> &b, int32_t count)
    {
        Min(d, a, b, count);
    }
    static __aicore__ inline void Fold(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                       const LocalTensor<float> &b, uint64_t mask, uint8_t repeat,
                                       const BinaryRepeatParams &strides)
    {
        Min(d, a, b, mask, repeat, strides);
    }
    static __aicore__ inline void Blocks(const LocalTensor<float> &d, const LocalTensor<float> &a, int32_t repeat)
    {
        BlockReduceMin(d, a, repeat, 64, 1, 1, 8);
    }
    static __aicore__ inline void Whole(const LocalTensor<float> &d, const LocalTensor<float> &a, int32_t mask,
                                        int32_t repeat, int32_t stride)
    {
        WholeReduceMin(d, a, mask, repeat, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE);
    }
    // A result anywhere: this instruction wants 8-byte aligned ones, a sum of one element does not. `lanes` may be `a`.
    static __aicore__ inline void One(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &lanes, int32_t mask)
    {
        WholeReduceMin(lanes, a, mask, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        WholeReduceSum(d, lanes, 1, 1, 1, 1, 8);
    }
};

// tile: TileReduce TileReducers TileCopy TileInt
// One row of n elements to one value: fold to a power of two of lanes, halve down to 64, then one reducing instruction.
// `lanes` is scratch for 2048 elements.
template <typename R>
__aicore__ inline void TileReduce(const LocalTensor<float> &dst, const LocalTensor<float> &src,
                                  const LocalTensor<float> &lanes, int64_t n)
{
    if (n <= 64) {
        R::One(dst, src, lanes, static_cast<int32_t>(n));
        return;
    }
    int64_t width = 64;
    while (width < 2048 && width * 2 <= n) {
        width *= 2;
    }
    int64_t done = width;
    if (n >= 2 * width) {
        R::Fold(lanes, src, src[width], static_cast<int32_t>(width));
        done = 2 * width;
    } else {
        TileCopy(lanes, src, width);
    }
    for (; done < n; done += width) {
        R::Fold(lanes, lanes, src[done], static_cast<int32_t>(TileMin(width, n - done)));
    }
    while (width > 64) {
        width /= 2;
        R::Fold(lanes, lanes, lanes[width], static_cast<int32_t>(width));
    }
    R::One(dst, lanes, lanes, 64);
}

// tile: TileReduceLanes TileReducers
// Rows of 64 lanes to one value each, eight at a time where they come in eights: that is faster than row by row.
template <typename R>
__aicore__ inline void TileReduceLanes(const LocalTensor<float> &dst, const LocalTensor<float> &lanes,
                                       const LocalTensor<float> &spare, uint8_t rows)
{
    if (rows % 8 == 0) {
        R::Blocks(spare, lanes, rows);
        R::Blocks(dst, spare, rows / 8);
    } else {
        R::Whole(dst, lanes, 64, rows, 8);
    }
}

// tile: TileReduceRows TileReduce TileReduceLanes
// Every row to one value, in batches: chunks of 64 columns are folded with one row per repeat. Rows without padding are
// first reduced by 8 in one pass over the batch; others of more than 2040 elements, and longer ones, follow one by one.
template <typename R>
__aicore__ inline void TileReduceRows(const LocalTensor<float> &dst, const LocalTensor<float> &src,
                                      TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t cols, int64_t stride)
{
    LocalTensor<float> partial = scratch.Get<float>();
    const bool dense = cols == stride && cols > 64 && cols <= 8192 && cols % 64 == 0;
    if (stride > 2040 && !dense) {
        for (int64_t r = 0; r < rows; ++r) {
            TileReduce<R>(dst[r], src[r * stride], partial, cols);
        }
        return;
    }
    LocalTensor<float> lanes = dense ? partial[2048] : partial;
    const int64_t fitting = 2048 * 8 / cols; // rows of which an eighth fits; batches begin at whole blocks, or pairs
    const int64_t step = cols <= 64 ? 248 : !dense ? 64 : fitting >= 8 ? TileMin(32, fitting / 8 * 8) : fitting / 2 * 2;
    const int64_t width = dense ? cols / 8 : cols;
    const int64_t pitch = (dense ? width : stride) / 8;
    for (int64_t first = 0; first < rows; first += step) {
        const uint8_t batch = static_cast<uint8_t>(TileMin(step, rows - first));
        LocalTensor<float> tile = src[first * stride];
        if (dense) {
            const int64_t repeats = batch * cols / 64;
            for (int64_t at = 0; at < repeats; at += 248) {
                R::Blocks(partial[at * 8], tile[at * 64], static_cast<int32_t>(TileMin(248, repeats - at)));
            }
            tile = partial;
        }
        if (width == 64 && dense) {
            TileReduceLanes<R>(dst[first], partial, lanes, batch);
            continue;
        }
        if (width <= 64) {
            R::Whole(dst[first], tile, static_cast<int32_t>(width), batch, static_cast<int32_t>(pitch));
            continue;
        }
        const uint8_t jump = static_cast<uint8_t>(pitch);
        int64_t done = 128;
        if (width >= done) {
            R::Fold(lanes, tile, tile[64], 64, batch, BinaryRepeatParams{1, 1, 1, 8, jump, jump});
        } else {
            Muls(lanes, tile, 1.0f, 64, batch, UnaryRepeatParams{1, 1, 8, jump});
            done = 64;
        }
        for (; done < width; done += 64) {
            const uint64_t mask = static_cast<uint64_t>(TileMin(64, width - done));
            R::Fold(lanes, lanes, tile[done], mask, batch, BinaryRepeatParams{1, 1, 1, 8, 8, jump});
        }
        if (dense) {
            TileReduceLanes<R>(dst[first], lanes, partial, batch);
        } else {
            R::Whole(dst[first], lanes, 64, batch, 8);
        }
    }
}

// tile: TileReduceColumns TileReducers TileCopy
// All rows folded into one.
template <typename R>
__aicore__ inline void TileReduceColumns(const LocalTensor<float> &dst, const LocalTensor<float> &src, int64_t rows,
                                         int64_t cols, int64_t stride)
{
    const int32_t count = static_cast<int32_t>(cols);
    if (rows == 1) {
        TileCopy(dst, src, cols);
        return;
    }
    R::Fold(dst, src, src[stride], count);
    for (int64_t r = 2; r < rows; ++r) {
        R::Fold(dst, dst, src[r * stride], count);
    }
}

// tile: TileReduceAll TileReduce
// A 2-D tile to one value: rows are folded into one of up to 2048 lanes, which is reduced.
template <typename R>
__aicore__ inline void TileReduceAll(const LocalTensor<float> &dst, const LocalTensor<float> &src,
                                     TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t cols, int64_t stride)
{
    LocalTensor<float> lanes = scratch.Get<float>();
    if (rows == 1 || cols == stride) {
        TileReduce<R>(dst, src, lanes, rows == 1 ? cols : rows * cols);
        return;
    }
    const int64_t width = TileMin(cols, 2048);
    TileCopy(lanes, src, width);
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = r == 0 ? width : 0; c < cols; c += width) {
            R::Fold(lanes, lanes, src[r * stride + c], static_cast<int32_t>(TileMin(width, cols - c)));
        }
    }
    if (width <= 64) {
        R::Whole(dst, lanes, static_cast<int32_t>(width), 1, 8);
        return;
    }
    int64_t half = 64;
    while (half * 2 < width) {
        half *= 2;
    }
    R::Fold(lanes, lanes, lanes[half], static_cast<int32_t>(width - half));
    while (half > 64) {
        half /= 2;
        R::Fold(lanes, lanes, lanes[half], static_cast<int32_t>(half));
    }
    R::Whole(dst, lanes, 64, 1, 8);
}

// tile: TileFold TileInt
// Reduces with an operation that no reducing instruction has, or integers: rows are folded to 8 lanes each, then even
// lanes meet odd ones until one is left. `unit` changes nothing; `lanes` is scratch for 4096 elements.
template <typename Op, typename T> struct TileFold {
    static __aicore__ inline void Rows(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                       TBuf<TPosition::VECCALC> &scratch, T unit, int64_t rows, int64_t cols,
                                       int64_t stride)
    {
        LocalTensor<T> lanes = scratch.Get<T>();
        for (int64_t first = 0; first < rows; first += 32) {
            const int64_t batch = TileMin(32, rows - first);
            LocalTensor<T> tile = src[first * stride];
            if (stride > 2040) {
                for (int64_t r = 0; r < batch; ++r) {
                    Wide(lanes[2048 + r * 8], tile[r * stride], lanes, unit, 1, cols, stride);
                }
            } else {
                Narrow(lanes, tile, unit, static_cast<uint8_t>(batch), cols, static_cast<uint8_t>(stride / 8));
            }
            Eight(lanes, batch);
            DataCopy(dst[first], lanes, static_cast<uint32_t>(TileAlignUp(batch, 8)));
        }
    }
    static __aicore__ inline void All(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                      TBuf<TPosition::VECCALC> &scratch, T unit, int64_t rows, int64_t cols,
                                      int64_t stride)
    {
        LocalTensor<T> lanes = scratch.Get<T>();
        Wide(lanes[2048], src, lanes, unit, rows, cols, stride);
        Eight(lanes, 1);
        DataCopy(dst, lanes, 8);
    }
    // Up to 32 rows to 8 lanes each, one row per repeat.
    static __aicore__ inline void Narrow(const LocalTensor<T> &lanes, const LocalTensor<T> &tile, T unit, uint8_t batch,
                                         int64_t cols, uint8_t jump)
    {
        Duplicate(lanes, unit, batch * 64);
        for (int64_t c = 0; c < cols; c += 64) {
            const uint64_t mask = static_cast<uint64_t>(TileMin(64, cols - c));
            Op::Run(lanes, lanes, tile[c], mask, batch, BinaryRepeatParams{1, 1, 1, 8, 8, jump});
        }
        for (uint64_t half = 32; half > 8; half /= 2) {
            Op::Run(lanes, lanes, lanes[half], half, batch, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
        }
        Op::Run(lanes[2048], lanes, lanes[8], static_cast<uint64_t>(8), batch, BinaryRepeatParams{1, 1, 1, 1, 8, 8});
    }
    // A row, or all rows together, to 8 lanes.
    static __aicore__ inline void Wide(const LocalTensor<T> &eight, const LocalTensor<T> &tile,
                                       const LocalTensor<T> &lanes, T unit, int64_t rows, int64_t cols, int64_t stride)
    {
        Duplicate(lanes, unit, 1024);
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < cols; c += 1024) {
                Op::Run(lanes, lanes, tile[r * stride + c], static_cast<int32_t>(TileMin(1024, cols - c)));
            }
        }
        for (int32_t half = 512; half > 8; half /= 2) {
            Op::Run(lanes, lanes, lanes[half], half);
        }
        Op::Run(eight, lanes, lanes[8], 8);
    }
    // 8 lanes of every row, packed behind 2048 lanes, to one value at the beginning.
    static __aicore__ inline void Eight(const LocalTensor<T> &lanes, int64_t batch)
    {
        LocalTensor<T> packed = lanes[2048];
        uint64_t kept = 0;
        for (int64_t each = 8; each > 1; each /= 2) {
            const uint32_t count = static_cast<uint32_t>(batch * each);
            GatherMask(lanes, packed, static_cast<uint8_t>(1), true, count, GatherMaskParams{1, 1, 8, 0}, kept);
            GatherMask(lanes[512], packed, static_cast<uint8_t>(2), true, count, GatherMaskParams{1, 1, 8, 0}, kept);
            Op::Run(each > 2 ? packed : lanes, lanes, lanes[512], static_cast<int32_t>(count / 2));
        }
    }
};

// tile: TileFoldColumns TileCopy
// All rows folded into one with any operation, of any type.
template <typename Op, typename T>
__aicore__ inline void TileFoldColumns(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t rows, int64_t cols,
                                       int64_t stride)
{
    const int32_t count = static_cast<int32_t>(cols);
    if (rows == 1) {
        TileCopy(dst, src, cols);
        return;
    }
    Op::Run(dst, src, src[stride], count);
    for (int64_t r = 2; r < rows; ++r) {
        Op::Run(dst, dst, src[r * stride], count);
    }
}
