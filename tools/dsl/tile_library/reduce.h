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

// tile: TileReduceRows TileReduce
// Every row to one value. Rows of more than 2040 elements are reduced one by one; shorter ones in batches: chunks of 64
// columns are folded with one row per repeat. Rows without padding are first reduced by 8 in one pass over the batch.
template <typename R>
__aicore__ inline void TileReduceRows(const LocalTensor<float> &dst, const LocalTensor<float> &src,
                                      TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t cols, int64_t stride)
{
    LocalTensor<float> partial = scratch.Get<float>();
    if (stride > 2040) {
        for (int64_t r = 0; r < rows; ++r) {
            TileReduce<R>(dst[r], src[r * stride], partial, cols);
        }
        return;
    }
    const bool dense = cols == stride && cols > 64 && cols % 64 == 0;
    LocalTensor<float> lanes = dense ? partial[2048] : partial;
    const int64_t step = cols <= 64 ? 248 : dense ? TileMin(32, 2048 * 8 / cols / 8 * 8) : 64;
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
        R::Whole(dst[first], lanes, 64, batch, 8);
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
