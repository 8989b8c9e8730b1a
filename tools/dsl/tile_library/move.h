// Moving tiles between global memory and the Unified Buffer, any length, any offset.

// tile: TileLoad
template <typename T> __aicore__ inline void TileLoad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, int64_t n)
{
    DataCopyExtParams run{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    DataCopyPad(dst, src, run, DataCopyPadExtParams<T>{});
}

// tile: TileStore
template <typename T> __aicore__ inline void TileStore(const GlobalTensor<T> &dst, const LocalTensor<T> &src, int64_t n)
{
    DataCopyExtParams run{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    DataCopyPad(dst, src, run);
}

// tile: TileLoadRows TileLoad TileInt
// `rows` runs of `cols` elements, `pitch` apart in global memory and `stride` apart in the tile.
template <typename T>
__aicore__ inline void TileLoadRows(const LocalTensor<T> &dst, const GlobalTensor<T> &src, int64_t rows, int64_t cols,
                                    int64_t pitch, int64_t stride)
{
    if (cols == stride && pitch == cols) {
        TileLoad(dst, src, rows * cols);
    } else if (pitch >= cols) {
        const int64_t filled = TileAlignUp(cols * sizeof(T), 32);
        DataCopyExtParams runs{static_cast<uint16_t>(rows), static_cast<uint32_t>(cols * sizeof(T)),
                               static_cast<uint32_t>((pitch - cols) * sizeof(T)),
                               static_cast<uint32_t>((stride * sizeof(T) - filled) / 32), 0};
        DataCopyPad(dst, src, runs, DataCopyPadExtParams<T>{});
    } else {
        for (int64_t r = 0; r < rows; ++r) {
            TileLoad(dst[r * stride], src[r * pitch], cols);
        }
    }
}

// tile: TileStoreRows TileStore TileInt
template <typename T>
__aicore__ inline void TileStoreRows(const GlobalTensor<T> &dst, const LocalTensor<T> &src, int64_t rows, int64_t cols,
                                     int64_t pitch, int64_t stride)
{
    if (cols == stride && pitch == cols) {
        TileStore(dst, src, rows * cols);
    } else {
        const int64_t filled = TileAlignUp(cols * sizeof(T), 32);
        DataCopyExtParams runs{static_cast<uint16_t>(rows), static_cast<uint32_t>(cols * sizeof(T)),
                               static_cast<uint32_t>((stride * sizeof(T) - filled) / 32),
                               static_cast<uint32_t>((pitch - cols) * sizeof(T)), 0};
        DataCopyPad(dst, src, runs);
    }
}

// tile: TileCopy TileInt
// Within the Unified Buffer; whole blocks of 32 bytes.
template <typename T> __aicore__ inline void TileCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t n)
{
    DataCopy(dst, src, static_cast<uint32_t>(TileAlignUp(n, 32 / sizeof(T))));
}

// tile: TileListItem
// Address of one tensor of a list. The first word of a list says how many bytes from there its addresses begin; a
// ListTensorDesc would read all tensors' shapes first.
template <typename T> __aicore__ inline GlobalTensor<T> TileListItem(GM_ADDR list, int64_t index)
{
    __gm__ uint64_t *words = reinterpret_cast<__gm__ uint64_t *>(list);
    GlobalTensor<T> item;
    item.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(words[words[0] / sizeof(uint64_t) + index]));
    return item;
}

// tile: TileListNumel
// For each tensor a word tells its number and, in its lower half, its dimensions, which follow.
__aicore__ inline int64_t TileListNumel(GM_ADDR list, int64_t index)
{
    __gm__ uint64_t *entry = reinterpret_cast<__gm__ uint64_t *>(list) + 1;
    uint64_t dims = entry[0] & 0xffffffff;
    for (int64_t i = 0; i < index; ++i) {
        entry += 1 + dims;
        dims = entry[0] & 0xffffffff;
    }
    int64_t count = 1;
    for (uint64_t d = 1; d <= dims; ++d) {
        count *= static_cast<int64_t>(entry[d]);
    }
    return count;
}

// tile: TileListLength
__aicore__ inline int64_t TileListLength(GM_ADDR list)
{
    ListTensorDesc items(reinterpret_cast<__gm__ void *>(list));
    return static_cast<int64_t>(items.GetSize());
}

// tile: TileTurn TileInt
// d[c][r] = a[r][c], sixteen rows and a block of columns at a time; rows are `stride` apart in d, `source` in a. What
// lies outside goes to the scratch.
template <typename T>
__aicore__ inline void TileTurn(const LocalTensor<T> &d, const LocalTensor<T> &a, TBuf<TPosition::VECCALC> &scratch,
                                int64_t rows, int64_t cols, int64_t stride, int64_t source)
{
    constexpr int64_t block = 32 / sizeof(T);
    constexpr int64_t parts = sizeof(T) / 2; // blocks that sixteen elements take
    const uint64_t spare = reinterpret_cast<uint64_t>(scratch.Get<T>().GetPhyAddr());
    const uint64_t step = static_cast<uint64_t>(source) * sizeof(T);
    const uint64_t wide = static_cast<uint64_t>(stride) * sizeof(T);
    uint64_t to[16];
    uint64_t from[16];
    for (int64_t r = 0; r < rows; r += 16) {
        const bool whole = rows - r > 16 - block;
        const int64_t below = rows - r - 1; // rows after this one; those of a ragged group repeat the first
        for (int64_t c = 0; c < cols;) {
            const int64_t times = whole ? TileMin(TileMax((cols - c) / block, 1), 255) : 1;
            const uint64_t top = reinterpret_cast<uint64_t>(a[r * source + c].GetPhyAddr());
            uint64_t target = reinterpret_cast<uint64_t>(d[c * stride + r].GetPhyAddr());
            uint64_t row = top;
            for (int64_t i = 0; i < 16; ++i) {
                from[i] = i <= below ? row : top;
                row += step;
            }
            const int64_t left = (cols - c) * parts; // entries whose column is there
            for (int64_t i = 0; i < 16; i += parts) {
                for (int64_t part = 0; part < parts; ++part) {
                    to[i + part] = i < left && (part == 0 || whole) ? target + part * 32 : spare + (i + part) * 32;
                }
                target += wide;
            }
            TransDataTo5HDParams turn(false, false, static_cast<uint8_t>(times),
                                      static_cast<uint16_t>(times > 1 ? stride : 0),
                                      static_cast<uint16_t>(times > 1 ? 1 : 0));
            TransDataTo5HD<T>(to, from, turn);
            c += times * block;
        }
    }
}
