// Operations between a 2-D tile and a vector: one value per row, or one value per column.

// tile: TileColumnOp TileInt
// d[r][c] = op(a[r][c], v[r]). Up to 128 rows at a time: every v[r] is spread over a block of 32 bytes in scratch,
// which the instruction reads again and again (block stride 0).
template <typename Op, typename T>
__aicore__ inline void TileColumnOp(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &v,
                                    TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t cols, int64_t stride)
{
    constexpr int64_t block = 32 / sizeof(T), lanes = 256 / sizeof(T);
    LocalTensor<T> spread = scratch.Get<T>();
    const int64_t pitch = stride / block;
    for (int64_t first = 0; first < rows; first += 128) {
        const int64_t batch = TileMin(128, rows - first);
        Brcb(spread, v[first], static_cast<uint8_t>(TileCeilDiv(batch, 8)), BrcbRepeatParams{1, 8});
        if (pitch <= 255 && batch * lanes >= cols) {
            const uint8_t step = static_cast<uint8_t>(pitch);
            for (int64_t c = 0; c < cols; c += lanes) {
                const int64_t at = first * stride + c;
                const uint64_t mask = static_cast<uint64_t>(TileMin(lanes, cols - c));
                Op::Run(d[at], a[at], spread, mask, static_cast<uint8_t>(batch),
                        BinaryRepeatParams{1, 1, 0, step, step, 1});
            }
            continue;
        }
        for (int64_t r = 0; r < batch; ++r) {
            LocalTensor<T> value = spread[r * block];
            for (int64_t c = 0; c < cols;) {
                const int64_t at = (first + r) * stride + c;
                const int64_t repeat = TileMin(255, (cols - c) / lanes);
                if (repeat > 0) {
                    Op::Run(d[at], a[at], value, lanes, static_cast<uint8_t>(repeat),
                            BinaryRepeatParams{1, 1, 0, 8, 8, 0});
                    c += repeat * lanes;
                } else {
                    Op::Run(d[at], a[at], value, static_cast<uint64_t>(cols - c), 1,
                            BinaryRepeatParams{1, 1, 0, 8, 8, 0});
                    c = cols;
                }
            }
        }
    }
}

// tile: TileColumnMulAdd TileInt
// d[r][c] = d[r][c] * factor + v[r], rounded once.
template <typename T>
__aicore__ inline void TileColumnMulAdd(const LocalTensor<T> &d, T factor, const LocalTensor<T> &v,
                                        TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t cols, int64_t stride)
{
    LocalTensor<T> spread = scratch.Get<T>(), factors = spread[128 * 8];
    Duplicate(factors, factor, 8);
    const int64_t pitch = stride / 8;
    for (int64_t first = 0; first < rows; first += 128) {
        const int64_t batch = TileMin(128, rows - first);
        Brcb(spread, v[first], static_cast<uint8_t>(TileCeilDiv(batch, 8)), BrcbRepeatParams{1, 8});
        if (pitch <= 255 && batch * 64 >= cols) {
            const uint8_t step = static_cast<uint8_t>(pitch);
            for (int64_t c = 0; c < cols; c += 64) {
                FusedMulAdd(d[first * stride + c], factors, spread, static_cast<uint64_t>(TileMin(64, cols - c)),
                            static_cast<uint8_t>(batch), BinaryRepeatParams{1, 0, 0, step, 0, 1});
            }
            continue;
        }
        for (int64_t r = 0; r < batch; ++r) {
            for (int64_t c = 0; c < cols;) {
                const int64_t repeat = TileMin(255, (cols - c) / 64), whole = repeat > 0 ? repeat * 64 : cols - c;
                FusedMulAdd(d[(first + r) * stride + c], factors, spread[r * 8],
                            static_cast<uint64_t>(TileMin(64, cols - c)), static_cast<uint8_t>(repeat > 0 ? repeat : 1),
                            BinaryRepeatParams{1, 0, 0, 8, 0, 0});
                c += whole;
            }
        }
    }
}

// tile: TileRowOp TileInt
// d[r][c] = op(a[r][c], g[c]).
template <typename Op, typename T>
__aicore__ inline void TileRowOp(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &g,
                                 int64_t rows, int64_t cols, int64_t stride)
{
    constexpr int64_t block = 32 / sizeof(T), lanes = 256 / sizeof(T);
    const int64_t pitch = stride / block;
    if (pitch > 255 || rows * lanes < cols) {
        for (int64_t r = 0; r < rows; ++r) {
            Op::Run(d[r * stride], a[r * stride], g, static_cast<int32_t>(cols));
        }
        return;
    }
    const uint8_t step = static_cast<uint8_t>(pitch);
    for (int64_t first = 0; first < rows; first += 255) {
        const uint8_t batch = static_cast<uint8_t>(TileMin(255, rows - first));
        for (int64_t c = 0; c < cols; c += lanes) {
            const int64_t at = first * stride + c;
            const uint64_t mask = static_cast<uint64_t>(TileMin(lanes, cols - c));
            Op::Run(d[at], a[at], g[c], mask, batch, BinaryRepeatParams{1, 1, 1, step, step, 0});
        }
    }
}

// tile: TileRowMulAdd TileInt
// d[r][c] = d[r][c] * w[c] + v[c], rounded once.
template <typename T>
__aicore__ inline void TileRowMulAdd(const LocalTensor<T> &d, const LocalTensor<T> &w, const LocalTensor<T> &v,
                                     int64_t rows, int64_t cols, int64_t stride)
{
    const int64_t pitch = stride / 8;
    if (pitch > 255 || rows * 64 < cols) {
        for (int64_t r = 0; r < rows; ++r) {
            FusedMulAdd(d[r * stride], w, v, static_cast<int32_t>(cols));
        }
        return;
    }
    const uint8_t step = static_cast<uint8_t>(pitch);
    for (int64_t first = 0; first < rows; first += 255) {
        const uint8_t batch = static_cast<uint8_t>(TileMin(255, rows - first));
        for (int64_t c = 0; c < cols; c += 64) {
            FusedMulAdd(d[first * stride + c], w[c], v[c], static_cast<uint64_t>(TileMin(64, cols - c)), batch,
                        BinaryRepeatParams{1, 1, 1, step, 0, 0});
        }
    }
}

// tile: TileValueDiv TileInt
// d = value / a: the value is one block of 32 bytes that every repeat reads.
__aicore__ inline void TileValueDiv(const LocalTensor<float> &d, float value, const LocalTensor<float> &a,
                                    TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    LocalTensor<float> block = scratch.Get<float>();
    Duplicate(block, value, 8);
    for (int64_t at = 0; at < n;) {
        const int64_t repeat = TileMin(255, (n - at) / 64);
        if (repeat > 0) {
            Div(d[at], block, a[at], 64, static_cast<uint8_t>(repeat), BinaryRepeatParams{1, 0, 1, 8, 0, 8});
            at += repeat * 64;
        } else {
            Div(d[at], block, a[at], static_cast<uint64_t>(n - at), 1, BinaryRepeatParams{1, 0, 1, 8, 0, 8});
            at = n;
        }
    }
}
