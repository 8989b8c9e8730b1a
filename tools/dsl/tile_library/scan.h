// Scans: running sums, products, maxima and minima, along rows or down them.

// tile: TileTranspose TileInt
// `blocks` blocks of 8 columns of `rows` rows become columns of `lanes` elements (a multiple of 16), or back. Rows
// beyond the last are copies of it; what comes back of them goes to `junk`, room for all columns. Addresses are counted
// in plain numbers: the scalar unit is what takes longest here.
template <typename T>
__aicore__ inline void TileTransposeIn(const LocalTensor<T> &columns, const LocalTensor<T> &src, int64_t rows,
                                       int64_t lanes, int64_t blocks, int64_t pitch)
{
    const uint16_t jump = blocks == 1 ? 0 : 1, step = blocks == 1 ? 0 : static_cast<uint16_t>(lanes);
    const uint64_t row = static_cast<uint64_t>(pitch) * sizeof(T), column = static_cast<uint64_t>(lanes) * sizeof(T);
    uint64_t source = reinterpret_cast<uint64_t>(src.GetPhyAddr());
    uint64_t target = reinterpret_cast<uint64_t>(columns.GetPhyAddr());
    const uint64_t last = source + row * static_cast<uint64_t>(rows - 1);
    const TransDataTo5HDParams params{false, false, static_cast<uint8_t>(blocks), step, jump};
    for (int64_t at = 0; at < lanes; at += 16) {
        uint64_t to[16], from[16];
        for (int32_t i = 0; i < 16; ++i) {
            from[i] = source;
            source = source < last ? source + row : last;
        }
        uint64_t next = target;
        for (int32_t i = 0; i < 16; i += 2) {
            to[i] = next;
            to[i + 1] = next + 32;
            next += column;
        }
        target += 64;
        TransDataTo5HD<T>(to, from, params);
    }
}

template <typename T>
__aicore__ inline void TileTransposeOut(const LocalTensor<T> &dst, const LocalTensor<T> &columns,
                                        const LocalTensor<T> &junk, int64_t rows, int64_t lanes, int64_t blocks,
                                        int64_t pitch)
{
    const uint16_t jump = blocks == 1 ? 0 : 1, step = blocks == 1 ? 0 : static_cast<uint16_t>(lanes);
    const uint64_t row = static_cast<uint64_t>(pitch) * sizeof(T), column = static_cast<uint64_t>(lanes) * sizeof(T);
    uint64_t target = reinterpret_cast<uint64_t>(dst.GetPhyAddr());
    uint64_t source = reinterpret_cast<uint64_t>(columns.GetPhyAddr());
    const uint64_t end = target + row * static_cast<uint64_t>(rows);
    const uint64_t nowhere = reinterpret_cast<uint64_t>(junk.GetPhyAddr());
    const TransDataTo5HDParams params{false, false, static_cast<uint8_t>(blocks), jump, step};
    for (int64_t at = 0; at < lanes; at += 16) {
        uint64_t to[16], from[16];
        for (int32_t half = 0; half < 2; ++half) {
            for (int32_t i = half; i < 16; i += 2) {
                to[i] = target < end ? target : nowhere;
                target += row;
            }
        }
        uint64_t next = source;
        for (int32_t i = 0; i < 8; ++i) {
            from[i] = next;
            from[i + 8] = next + 32;
            next += column;
        }
        source += 64;
        TransDataTo5HD<T>(to, from, params);
    }
}

// tile: TileScan TileTranspose TileInt TileCopy
// Along rows: up to 32 rows are transposed, so that one instruction takes one column of all of them; `backward` starts
// at the last column. A long row is cut into about 16 pieces that are scanned like rows; what the pieces before make
// together is spread over blocks of 32 bytes, scanned by doubling, and applied. Scratch: 5632 elements.
template <typename Op, typename T, bool backward> struct TileScan {
    static constexpr int64_t room = 4096; // columns times lanes

    static __aicore__ inline void Rows(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                       TBuf<TPosition::VECCALC> &scratch, int64_t rows, int64_t cols, int64_t stride)
    {
        LocalTensor<T> work = scratch.Get<T>();
        if (cols > 16 && rows * (800 + cols / 3) < TileCeilDiv(rows, 32) * cols * 6) {
            for (int64_t r = 0; r < rows; ++r) {
                Long(dst[r * stride], src[r * stride], work, cols);
            }
            return;
        }
        for (int64_t r = 0; r < rows; r += 32) {
            Lanes(dst[r * stride], src[r * stride], work, TileMin(32, rows - r), cols, stride);
        }
    }
    // Down the rows of a tile. Rows wait for one another; where they are short, pieces of up to 16 rows are scanned side
    // by side, a piece per repeat, and then take in the row before them, one after the other.
    static __aicore__ inline void Down(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t rows, int64_t cols,
                                       int64_t stride)
    {
        if (dst.GetPhyAddr() != src.GetPhyAddr()) {
            TileCopy(dst, src, (rows - 1) * stride + cols);
        }
        const int64_t length = TileMin(16, 255 / TileMax(1, stride / 8));
        const int64_t pieces = length >= 4 ? TileMin(255, rows / length) : 0;
        const int64_t cut = pieces > 1 ? pieces * length : 1;
        const int64_t step = backward ? -stride : stride;
        if (pieces > 1) {
            Pieces(dst[backward ? (rows - cut) * stride : 0], pieces, length, cols, stride);
        }
        int64_t at = backward ? (rows - cut) * stride : (cut - 1) * stride;
        for (int64_t r = cut; r < rows; ++r) {
            at += step;
            Op::Run(dst[at], dst[at], dst[at - step], static_cast<int32_t>(cols));
        }
    }
    static __aicore__ inline void Pieces(const LocalTensor<T> &dst, int64_t pieces, int64_t length, int64_t cols,
                                         int64_t stride)
    {
        const uint8_t row = static_cast<uint8_t>(stride / 8), piece = static_cast<uint8_t>(length * stride / 8);
        const int64_t step = backward ? -stride : stride;
        for (int64_t c = 0; c < cols; c += 64) {
            const uint64_t mask = static_cast<uint64_t>(TileMin(64, cols - c));
            int64_t at = c + (backward ? (length - 1) * stride : 0);
            for (int64_t j = 1; j < length; ++j) {
                at += step;
                Op::Run(dst[at], dst[at], dst[at - step], mask, static_cast<uint8_t>(pieces),
                        BinaryRepeatParams{1, 1, 1, piece, piece, piece});
            }
            for (int64_t j = 1; j < pieces; ++j) {
                const int64_t begin = (backward ? pieces - 1 - j : j) * length * stride + c;
                const int64_t before = backward ? begin + length * stride : begin - stride;
                Op::Run(dst[begin], dst[begin], dst[before], mask, static_cast<uint8_t>(length),
                        BinaryRepeatParams{1, 1, 1, row, row, 0});
            }
        }
    }
    // Up to 32 rows side by side. The last column that was computed is left behind the columns, at work[room].
    static __aicore__ inline void Lanes(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                        const LocalTensor<T> &work, int64_t rows, int64_t cols, int64_t pitch)
    {
        const int64_t lanes = TileAlignUp(rows, 16), most = room / lanes / 8 * 8;
        const int64_t parts = TileCeilDiv(cols, most);
        const int32_t n = static_cast<int32_t>(lanes);
        LocalTensor<T> carry = work[room], junk = work[room + 128];
        for (int64_t k = 0; k < parts; ++k) {
            const int64_t first = (backward ? parts - 1 - k : k) * most, count = TileMin(most, cols - first);
            const int64_t blocks = TileCeilDiv(count, 8);
            TileTransposeIn(work, src[first], rows, lanes, blocks, pitch);
            const int64_t front = backward ? (count - 1) * lanes : 0, back = backward ? 0 : (count - 1) * lanes;
            if (k > 0) {
                Op::Run(work[front], work[front], carry, n);
            }
            Down(work, work, count, lanes, lanes);
            TileCopy(carry, work[back], lanes);
            TileTransposeOut(dst[first], work, junk, rows, lanes, blocks, pitch);
        }
    }
    static __aicore__ inline void Long(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
                                       int64_t cols)
    {
        const int64_t length = TileMin(2040, TileAlignUp(TileCeilDiv(cols, 16), 8)), pieces = cols / length;
        const int64_t rest = cols - pieces * length, all = pieces + (rest > 0 ? 1 : 0);
        LocalTensor<T> carry = work[room], totals = work[room + 512], other = work[room + 1024];
        const BrcbRepeatParams spread{1, 8};
        Lanes(dst, src, work, pieces, length, length);
        Brcb(totals, carry, static_cast<uint8_t>(TileCeilDiv(pieces, 8)), spread);
        if (rest > 0) {
            Lanes(dst[pieces * length], src[pieces * length], work, 1, rest, rest);
            Brcb(totals[pieces * 8], carry, 1, spread);
        }
        for (int64_t s = 1; s < all; s *= 2) {
            const int64_t kept = backward ? (all - s) * 8 : 0, into = backward ? 0 : s * 8;
            TileCopy(other[kept], totals[kept], s * 8);
            Op::Run(other[into], totals, totals[s * 8], static_cast<int32_t>((all - s) * 8));
            LocalTensor<T> swapped = totals;
            totals = other;
            other = swapped;
        }
        if (rest > 0 && !backward) {
            Apply(dst[pieces * length], totals[(pieces - 1) * 8], 1, rest);
        }
        const int64_t taking = backward ? all - 1 : pieces - 1;
        Apply(dst[backward ? 0 : length], totals[backward ? 8 : 0], taking, length);
    }
    // Let one value, spread over a block, act on each of these pieces.
    static __aicore__ inline void Apply(const LocalTensor<T> &dst, const LocalTensor<T> &values, int64_t pieces,
                                        int64_t length)
    {
        const uint8_t jump = pieces > 1 ? static_cast<uint8_t>(length / 8) : 8;
        for (int64_t c = 0; pieces > 0 && c < length; c += 64) {
            const uint64_t mask = static_cast<uint64_t>(TileMin(64, length - c));
            Op::Run(dst[c], dst[c], values, mask, static_cast<uint8_t>(pieces),
                    BinaryRepeatParams{1, 1, 0, jump, jump, 1});
        }
    }
};
