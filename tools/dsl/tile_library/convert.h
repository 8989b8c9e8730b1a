// Conversions between stored types and the types that are computed with.

// tile: TileConvert TileCopy
// Bytes pass through half precision, which holds them exactly; `scratch` is only touched for them.
template <typename D, typename S>
__aicore__ inline void TileConvert(const LocalTensor<D> &dst, const LocalTensor<S> &src,
                                   TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    if constexpr (std::is_same<D, S>::value) {
        TileCopy(dst, src, n);
    } else if constexpr (sizeof(S) == 1 && sizeof(D) > 2) {
        LocalTensor<half> wide = scratch.Get<half>();
        Cast(wide, src, RoundMode::CAST_NONE, count);
        if constexpr (std::is_same<D, float>::value) {
            Cast(dst, wide, RoundMode::CAST_NONE, count);
        } else {
            Cast(dst, wide, RoundMode::CAST_RINT, count);
        }
    } else if constexpr (sizeof(D) == 1 && std::is_same<S, float>::value) {
        LocalTensor<half> wide = scratch.Get<half>();
        Cast(wide, src, RoundMode::CAST_TRUNC, count);
        Cast(dst, wide, RoundMode::CAST_TRUNC, count);
    } else if constexpr (sizeof(D) == 1 && std::is_same<S, int32_t>::value) {
        LocalTensor<half> wide = scratch.Get<half>();
        SetDeqScale(static_cast<half>(1.0f));
        Cast(wide, src, RoundMode::CAST_NONE, count);
        Cast(dst, wide, RoundMode::CAST_TRUNC, count);
    } else if constexpr (std::is_same<S, int16_t>::value && std::is_same<D, int32_t>::value) {
        LocalTensor<float> wide = dst.template ReinterpretCast<float>(); // which holds 16 bits exactly
        Cast(wide, src, RoundMode::CAST_NONE, count);
        Cast(dst, wide, RoundMode::CAST_RINT, count);
    } else if constexpr (sizeof(D) == 1) {
        Cast(dst, src, RoundMode::CAST_TRUNC, count);
    } else if constexpr (std::is_same<S, float>::value &&
                         (std::is_same<D, half>::value || std::is_same<D, bfloat16_t>::value)) {
        Cast(dst, src, RoundMode::CAST_RINT, count);
    } else if constexpr (std::is_same<S, float>::value) {
        Cast(dst, src, RoundMode::CAST_TRUNC, count);
    } else if constexpr (std::is_same<S, int64_t>::value && std::is_same<D, float>::value) {
        Cast(dst, src, RoundMode::CAST_RINT, count);
    } else {
        Cast(dst, src, RoundMode::CAST_NONE, count);
    }
}

// tile: TileLoaded TileConvert
// The loaded tensor in the type that is computed with: itself if it has that type, else a converted copy in `buffer`.
template <typename D, typename S>
__aicore__ inline LocalTensor<D> TileLoaded(const LocalTensor<S> &raw, TBuf<TPosition::VECCALC> &buffer,
                                            TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    if constexpr (std::is_same<D, S>::value) {
        return raw;
    } else {
        LocalTensor<D> tile = buffer.Get<D>();
        TileConvert(tile, raw, scratch, n);
        return tile;
    }
}

// tile: TileTarget
// Where a stored tile is computed: the output tensor itself if it has the tile's type, else `other`.
template <typename D, typename T>
__aicore__ inline LocalTensor<D> TileTarget(const LocalTensor<T> &out, const LocalTensor<D> &other)
{
    if constexpr (std::is_same<D, T>::value) {
        return out;
    } else {
        return other;
    }
}

// tile: TileTargetIn
template <typename D, typename T>
__aicore__ inline LocalTensor<D> TileTargetIn(const LocalTensor<T> &out, TBuf<TPosition::VECCALC> &buffer)
{
    if constexpr (std::is_same<D, T>::value) {
        return out;
    } else {
        return buffer.Get<D>();
    }
}

// tile: TileFinish TileConvert
// Convert a tile that was computed apart from the output tensor; nothing to do if it was computed there.
template <typename T, typename D>
__aicore__ inline void TileFinish(const LocalTensor<T> &out, const LocalTensor<D> &tile,
                                  TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    if constexpr (!std::is_same<D, T>::value) {
        TileConvert(out, tile, scratch, n);
    }
}

// tile: TilePut TileConvert TileCopy
// Copy or convert a tile that stays in use into the output tensor.
template <typename T, typename D>
__aicore__ inline void TilePut(const LocalTensor<T> &out, const LocalTensor<D> &tile, TBuf<TPosition::VECCALC> &scratch,
                               int64_t n)
{
    if constexpr (std::is_same<D, T>::value) {
        TileCopy(out, tile, n);
    } else {
        TileConvert(out, tile, scratch, n);
    }
}
