// Loads and stores of which a part lies outside of a tensor, or whose rows and elements an index picks.

// tile: TileFill TileInt
// The same value throughout; bytes go in pairs, and 64-bit integers one by one.
template <typename T, typename V> __aicore__ inline T TileFillValue(V value)
{
    if constexpr (std::is_same<T, bfloat16_t>::value) {
        return ToBfloat16(static_cast<float>(value));
    } else {
        return static_cast<T>(value);
    }
}

template <typename T> __aicore__ inline void TileFill(const LocalTensor<T> &dst, T value, int64_t n)
{
    if constexpr (sizeof(T) == 1) {
        const uint16_t byte = static_cast<uint8_t>(value);
        const int16_t pair = static_cast<int16_t>(byte | (byte << 8));
        Duplicate(dst.template ReinterpretCast<int16_t>(), pair, static_cast<int32_t>(TileCeilDiv(n, 2)));
    } else if constexpr (sizeof(T) == 8) {
        for (int64_t i = 0; i < n; ++i) {
            dst.SetValue(i, value);
        }
    } else {
        Duplicate(dst, value, static_cast<int32_t>(n));
    }
}

// tile: TileLoadGuarded TileFill TileLoadRows TileInt
// Rows [r0, r1) and columns [c0, c1) of an extent are loaded, the rest of the tile becomes `fill`. Columns that do not
// begin at a block of 32 bytes are shifted into place by the copy's own padding. `src` is the tensor; the extent would
// begin at `offset`, which may lie outside.
template <typename T, typename V>
__aicore__ inline void TileLoadGuarded(const LocalTensor<T> &dst, const GlobalTensor<T> &src, int64_t offset,
                                       int64_t rows, int64_t cols, int64_t pitch, int64_t stride, int64_t r0,
                                       int64_t r1, int64_t c0, int64_t c1, V outside)
{
    const T fill = TileFillValue<T>(outside);
    r0 = TileMax(r0, 0);
    r1 = TileMin(r1, rows);
    c0 = TileMax(c0, 0);
    c1 = TileMin(c1, cols);
    if (r0 == 0 && c0 == 0 && r1 == rows && c1 == cols) {
        TileLoadRows(dst, src[offset], rows, cols, pitch, stride);
        return;
    }
    TileFill(dst, fill, rows * stride);
    if (r0 >= r1 || c0 >= c1) {
        event_t filled = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
        SetFlag<HardEvent::V_MTE2>(filled);
        WaitFlag<HardEvent::V_MTE2>(filled);
        return;
    }
    if constexpr (sizeof(T) == 8) {
        for (int64_t r = r0; r < r1; ++r) {
            for (int64_t c = c0; c < c1; ++c) {
                dst.SetValue(r * stride + c, src.GetValue(offset + r * pitch + c));
            }
        }
    } else {
        event_t filled = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
        SetFlag<HardEvent::V_MTE2>(filled);
        WaitFlag<HardEvent::V_MTE2>(filled);
        constexpr int64_t block = 32 / static_cast<int64_t>(sizeof(T));
        const int64_t width = c1 - c0;
        const int64_t left = c0 % block;
        const int64_t filledBlocks = TileCeilDiv(left + width, block);
        const uint8_t right = static_cast<uint8_t>(filledBlocks * block - left - width);
        const bool gaps = pitch >= width;
        const int64_t batch = gaps ? r1 - r0 : 1;
        DataCopyExtParams runs{static_cast<uint16_t>(batch), static_cast<uint32_t>(width * sizeof(T)),
                               static_cast<uint32_t>(gaps ? (pitch - width) * sizeof(T) : 0),
                               static_cast<uint32_t>(stride / block - filledBlocks), 0};
        DataCopyPadExtParams<T> padding{true, static_cast<uint8_t>(left), right, fill};
        for (int64_t r = r0; r < r1; r += batch) {
            DataCopyPad(dst[r * stride + c0 - left], src[offset + r * pitch + c0], runs, padding);
        }
    }
}

// tile: TileLoadIndexed TileLoad TileWaitFor
// Row r of the tile is `cols` elements from offset + index[r] * pitch on.
template <typename T>
__aicore__ inline void TileLoadIndexed(const LocalTensor<T> &dst, const GlobalTensor<T> &src, int64_t offset,
                                       const LocalTensor<int32_t> &index, int64_t rows, int64_t cols, int64_t pitch,
                                       int64_t stride)
{
    TileWaitFor<HardEvent::V_S>(); // the scalar unit reads what the vector unit computed
    for (int64_t r = 0; r < rows; ++r) {
        TileLoad(dst[r * stride], src[offset + index.GetValue(r) * pitch], cols);
    }
}

// tile: TileLoadElements TileWaitFor
// Element i of the tile is the one at offset + index[i] * pitch; read by the scalar unit.
template <typename T>
__aicore__ inline void TileLoadElements(const LocalTensor<T> &dst, const GlobalTensor<T> &src, int64_t offset,
                                        const LocalTensor<int32_t> &index, int64_t n, int64_t pitch)
{
    TileWaitFor<HardEvent::V_S>(); // the scalar unit reads what the vector unit computed
    for (int64_t i = 0; i < n; ++i) {
        dst.SetValue(i, src.GetValue(offset + index.GetValue(i) * pitch));
    }
    TileWaitFor<HardEvent::S_V>();
}

// tile: TileStoreIndexed TileStore TileWaitFor
// Row r of the tile goes to offset + index[r] * pitch; with `sums`, it is added to what is there.
template <typename T>
__aicore__ inline void TileStoreIndexed(const GlobalTensor<T> &dst, int64_t offset, const LocalTensor<T> &src,
                                        const LocalTensor<int32_t> &index, int64_t rows, int64_t cols, int64_t pitch,
                                        int64_t stride)
{
    TileWaitFor<HardEvent::V_S>(); // the scalar unit reads what the vector unit computed
    for (int64_t r = 0; r < rows; ++r) {
        TileStore(dst[offset + index.GetValue(r) * pitch], src[r * stride], cols);
    }
}

// tile: TileGather
// d[r][c] = a[r][index[c]]. The instruction takes the index in bytes; that of one row is carried on to all of them in steps
// that double, so that one instruction picks from the whole tile.
template <typename T>
__aicore__ inline void TileGather(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<int32_t> &index,
                                  TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t n, int64_t stride,
                                  int64_t source)
{
    LocalTensor<int32_t> bytes = scratch.Get<int32_t>();
    if (rows > 1 && stride > n) {
        Duplicate(bytes, 0, static_cast<int32_t>(stride));
    }
    Muls(bytes, index, static_cast<int32_t>(sizeof(T)), static_cast<int32_t>(n));
    for (int64_t done = 1; done < rows;) {
        const int64_t more = done < rows - done ? done : rows - done;
        Adds(bytes[done * stride], bytes, static_cast<int32_t>(done * source * sizeof(T)),
             static_cast<int32_t>(more * stride));
        done += more;
    }
    const int64_t count = rows > 1 ? (rows - 1) * stride + n : n;
    Gather(d, a, bytes.ReinterpretCast<uint32_t>(), 0U, static_cast<uint32_t>(count));
}

// tile: TileScatter TileWaitFor
// One after the other, element index[i] of `d` takes in a[i]; what lies outside [0, reach) is left out.
struct TileScatterSet {
    template <typename T> __aicore__ static inline T Of(T old, T value)
    {
        (void)old;
        return value;
    }
};

struct TileScatterAdd {
    template <typename T> __aicore__ static inline T Of(T old, T value) { return old + value; }
};

struct TileScatterMul {
    template <typename T> __aicore__ static inline T Of(T old, T value) { return old * value; }
};

struct TileScatterMax {
    template <typename T> __aicore__ static inline T Of(T old, T value) { return old < value ? value : old; }
};

struct TileScatterMin {
    template <typename T> __aicore__ static inline T Of(T old, T value) { return value < old ? value : old; }
};

template <typename Update, typename T>
__aicore__ inline void TileScatter(const LocalTensor<T> &d, const LocalTensor<int32_t> &index, const LocalTensor<T> &a,
                                   int64_t n, int64_t reach)
{
    TileWaitFor<HardEvent::V_S>();
    for (int64_t i = 0; i < n; ++i) {
        const int64_t place = index.GetValue(i);
        if (place >= 0 && place < reach) {
            d.SetValue(place, Update::Of(d.GetValue(place), a.GetValue(i)));
        }
    }
    TileWaitFor<HardEvent::S_V>();
}
