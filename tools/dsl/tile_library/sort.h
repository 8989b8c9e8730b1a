// Sorting: records of a key and its place, 8 bytes each, largest keys first; equal keys keep their order.

// tile: TileSort TileInt TileInfinity
// Sorts every row into records: groups of 32, then four lists become one until one is left. Rows are padded to whole
// groups with keys of minus infinity. Scratch for one row of `width` words of records: twice its size.
struct TileSort {
    static __aicore__ inline void Rows(const LocalTensor<float> &records, const LocalTensor<float> &src,
                                       TBuf<TPosition::VECCALC> &scratch, int64_t start, int64_t rows, int64_t cols,
                                       int64_t stride, int64_t width)
    {
        const int64_t n = width / 2;
        LocalTensor<float> keys = scratch.Get<float>(), other = keys[width];
        LocalTensor<int32_t> places = keys[n].ReinterpretCast<int32_t>();
        CreateVecIndex(places, static_cast<int32_t>(start), static_cast<uint32_t>(n));
        for (int64_t r = 0; r < rows; ++r) {
            Duplicate(keys, -TileInfinity(), static_cast<int32_t>(n));
            Muls(keys, src[r * stride], 1.0f, static_cast<int32_t>(cols));
            Row(records[r * width], other, keys, places.ReinterpretCast<uint32_t>(), n);
        }
    }
    static __aicore__ inline void Row(const LocalTensor<float> &records, const LocalTensor<float> &other,
                                      const LocalTensor<float> &keys, const LocalTensor<uint32_t> &places, int64_t n)
    {
        bool swapped = false;
        for (int64_t length = 32; length < n; length *= 4) {
            swapped = !swapped;
        }
        LocalTensor<float> from = swapped ? other : records, to = swapped ? records : other;
        for (int64_t at = 0; at < n; at += 255 * 32) {
            const int64_t groups = TileMin(255, (n - at) / 32);
            Sort32<float>(from[at * 2], keys[at], places[at], static_cast<int32_t>(groups));
        }
        for (int64_t length = 32; length < n; length *= 4) {
            for (int64_t at = 0; at < n; at += length * 4) {
                Merge(to[at * 2], from[at * 2], length, TileMin(length * 4, n - at));
            }
            LocalTensor<float> turned = from;
            from = to;
            to = turned;
        }
    }
    // Up to four lists that follow one another, all but the last `length` long, become one.
    static __aicore__ inline void Merge(const LocalTensor<float> &to, const LocalTensor<float> &from, int64_t length,
                                        int64_t count)
    {
        const int64_t lists = TileCeilDiv(count, length);
        if (lists == 1) {
            DataCopy(to, from, static_cast<uint32_t>(count * 2));
            return;
        }
        MrgSort4Info info;
        for (int64_t k = 0; k < 4; ++k) {
            const int64_t rest = TileMax(0, TileMin(length, count - k * length));
            info.elementLengths[k] = static_cast<uint16_t>(rest);
        }
        info.ifExhaustedSuspension = false;
        info.validBit = static_cast<uint16_t>((1 << lists) - 1);
        info.repeatTimes = 1;
        const int64_t third = lists > 2 ? 2 * length : 0, fourth = lists > 3 ? 3 * length : 0;
        MrgSort<float>(to, MrgSortSrcList<float>(from, from[length * 2], from[third * 2], from[fourth * 2]), info);
    }
};

// tile: TileKeepTop TileInt TileCopy
// The best records of two sorted lists, as many as the first has; the first list wins ties. `fresh`: it holds nothing yet.
__aicore__ inline void TileKeepTop(const LocalTensor<float> &best, const LocalTensor<float> &records,
                                   TBuf<TPosition::VECCALC> &scratch, bool fresh, int64_t width, int64_t words)
{
    const int64_t taken = TileMin(width, words);
    if (fresh) {
        TileCopy(best, records, taken);
        return;
    }
    LocalTensor<float> both = scratch.Get<float>();
    MrgSort4Info info;
    info.elementLengths[0] = static_cast<uint16_t>(width / 2);
    info.elementLengths[1] = static_cast<uint16_t>(taken / 2);
    info.ifExhaustedSuspension = false;
    info.validBit = 3;
    info.repeatTimes = 1;
    MrgSort<float>(both, MrgSortSrcList<float>(best, records, best, best), info);
    TileCopy(best, both, width);
}

// tile: TileSorted
// The keys (pattern 1) or the places (pattern 2) of the first records of every row.
template <typename T>
__aicore__ inline void TileSorted(const LocalTensor<T> &dst, const LocalTensor<float> &records, uint8_t pattern,
                                  int64_t rows, int64_t count, int64_t stride, int64_t width)
{
    LocalTensor<T> words = records.ReinterpretCast<T>();
    uint64_t kept = 0;
    for (int64_t r = 0; r < rows; ++r) {
        GatherMask(dst[r * stride], words[r * width], pattern, true, static_cast<uint32_t>(count * 2),
                   GatherMaskParams{1, 1, 8, 0}, kept);
    }
}
