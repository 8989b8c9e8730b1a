// Functions composed from basic instructions, fp32, relative error about 5e-7. `x` may be `d`.
// Scratch: tiles of n elements.

// tile: TileScratchAt TileInt
// The k-th scratch tile for n elements.
__aicore__ inline LocalTensor<float> TileScratchAt(TBuf<TPosition::VECCALC> &scratch, int64_t k, int64_t n)
{
    return scratch.Get<float>()[k * TileAlignUp(n, 64)];
}

// tile: TilePolynomial
// d = c[0] + c[1] t + ... + c[N-1] t^(N-1), by Horner's rule. d and t are different.
template <int32_t N>
__aicore__ inline void TilePolynomial(const LocalTensor<float> &d, const LocalTensor<float> &t, const float (&c)[N],
                                      int32_t count)
{
    Muls(d, t, c[N - 1], count);
    for (int32_t k = N - 2; k > 0; --k) {
        Adds(d, d, c[k], count);
        Mul(d, d, t, count);
    }
    Adds(d, d, c[0], count);
}

// tile: TileGelu TileScratchAt
// 0.5 x (1 + erf(x / sqrt 2))
__aicore__ inline void TileGelu(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> value = TileScratchAt(scratch, 0, n);
    LocalTensor<float> part = TileScratchAt(scratch, 1, n);
    Muls(value, x, 0.70710678f, count);
    Erf(part, value, TileScratchAt(scratch, 2, n).ReinterpretCast<uint8_t>(), count);
    Adds(part, part, 1.0f, count);
    Mul(d, x, part, count);
    Muls(d, d, 0.5f, count);
}

// tile: TileSigmoid TileValueDiv
__aicore__ inline void TileSigmoid(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                   TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    Muls(d, x, -1.0f, count);
    Exp(d, d, count);
    Adds(d, d, 1.0f, count);
    TileValueDiv(d, 1.0f, d, scratch, n);
}

// tile: TileSilu TileScratchAt
__aicore__ inline void TileSilu(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> below = TileScratchAt(scratch, 0, n);
    Muls(below, x, -1.0f, count);
    Exp(below, below, count);
    Adds(below, below, 1.0f, count);
    Div(d, x, below, count);
}

// tile: TileGeluTanh TileScratchAt
// x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3))), which equals the form with tanh.
__aicore__ inline void TileGeluTanh(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                    TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> below = TileScratchAt(scratch, 0, n);
    Mul(below, x, x, count);
    Muls(below, below, -0.0713548163f, count);
    Adds(below, below, -1.5957691216f, count);
    Mul(below, below, x, count);
    Exp(below, below, count);
    Adds(below, below, 1.0f, count);
    Div(d, x, below, count);
}

// tile: TileRsqrt TileValueDiv
__aicore__ inline void TileRsqrt(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                 TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    Sqrt(d, x, static_cast<int32_t>(n));
    TileValueDiv(d, 1.0f, d, scratch, n);
}

// tile: TileSign
// Two multiplications lift the smallest number above 1.
__aicore__ inline void TileSign(const LocalTensor<float> &d, const LocalTensor<float> &x, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    Muls(d, x, 1e38f, count);
    Muls(d, d, 1e38f, count);
    Mins(d, d, 1.0f, count);
    Maxs(d, d, -1.0f, count);
}

// tile: TileExpm1 TilePolynomial TileScratchAt
// A polynomial within [-0.5, 0.5], exp(x) - 1 elsewhere.
__aicore__ inline void TileExpm1(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                 TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const float p[7] = {1.0f,
                        0.5000000596046448f,
                        0.16666662693023682f,
                        0.041665319353342056f,
                        0.008333634585142136f,
                        0.0013997324276715517f,
                        0.000198411857127212f};
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> near = TileScratchAt(scratch, 0, n);
    LocalTensor<float> far = TileScratchAt(scratch, 1, n);
    LocalTensor<uint8_t> inside = TileScratchAt(scratch, 2, n).ReinterpretCast<uint8_t>();
    Abs(far, x, count);
    CompareScalar(inside, far, 0.5f, CMPMODE::LE, static_cast<uint32_t>(TileAlignUp(n, 64)));
    TilePolynomial(near, x, p, count);
    Mul(near, near, x, count);
    Exp(far, x, count);
    Adds(far, far, -1.0f, count);
    Select(d, inside, near, far, SELMODE::VSEL_TENSOR_TENSOR_MODE, static_cast<uint32_t>(n));
}

// tile: TileLog1p TileScratchAt
// ln(u) x / (u - 1) with u = 1 + x rounded, which makes up for the rounding; x itself where u is 1.
__aicore__ inline void TileLog1p(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                 TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> sum = TileScratchAt(scratch, 0, n);
    LocalTensor<float> rest = TileScratchAt(scratch, 1, n);
    LocalTensor<uint8_t> tiny = TileScratchAt(scratch, 2, n).ReinterpretCast<uint8_t>();
    Adds(sum, x, 1.0f, count);
    Adds(rest, sum, -1.0f, count);
    CompareScalar(tiny, rest, 0.0f, CMPMODE::EQ, static_cast<uint32_t>(TileAlignUp(n, 64)));
    Ln(sum, sum, count);
    Div(rest, x, rest, count);
    Mul(sum, sum, rest, count);
    Select(d, tiny, x, sum, SELMODE::VSEL_TENSOR_TENSOR_MODE, static_cast<uint32_t>(n));
}

// tile: TileSoftplus TileLog1p
// max(x, 0) + log1p(exp(-|x|)); needs four scratch tiles.
__aicore__ inline void TileSoftplus(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                    TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> decay = TileScratchAt(scratch, 3, n);
    Abs(decay, x, count);
    Muls(decay, decay, -1.0f, count);
    Exp(decay, decay, count);
    TileLog1p(decay, decay, scratch, n);
    Maxs(d, x, 0.0f, count);
    Add(d, d, decay, count);
}

// tile: TilePower TileScratchAt
// |a|^b = exp(b ln|a|), with the sign of odd powers of negative numbers, NaN for other powers of them, and 1 for b = 0.
// `d` differs from `a` and `b`.
__aicore__ inline void TilePower(const LocalTensor<float> &d, const LocalTensor<float> &a, const LocalTensor<float> &b,
                                 TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    const uint32_t whole = static_cast<uint32_t>(TileAlignUp(n, 64));
    const uint32_t used = static_cast<uint32_t>(n);
    LocalTensor<float> value = TileScratchAt(scratch, 0, n);
    LocalTensor<float> parity = TileScratchAt(scratch, 1, n);
    LocalTensor<float> rest = TileScratchAt(scratch, 2, n);
    LocalTensor<uint8_t> test = TileScratchAt(scratch, 3, n).ReinterpretCast<uint8_t>();
    Abs(value, a, count);
    Ln(value, value, count);
    Mul(value, value, b, count);
    Exp(value, value, count);
    Muls(parity, b, 0.5f, count);
    Cast(parity, parity, RoundMode::CAST_FLOOR, count);
    Muls(parity, parity, -2.0f, count);
    Add(parity, parity, b, count);
    Muls(parity, parity, -2.0f, count);
    Adds(parity, parity, 1.0f, count);
    Cast(rest, b, RoundMode::CAST_RINT, count);
    Compare(test, rest, b, CMPMODE::EQ, whole);
    Duplicate(rest, -1.0f, count);
    Sqrt(rest, rest, count);
    Select(parity, test, parity, rest, SELMODE::VSEL_TENSOR_TENSOR_MODE, used);
    Mul(parity, parity, value, count);
    CompareScalar(test, a, 0.0f, CMPMODE::LT, whole);
    Select(value, test, parity, value, SELMODE::VSEL_TENSOR_TENSOR_MODE, used);
    CompareScalar(test, b, 0.0f, CMPMODE::NE, whole);
    Select(d, test, value, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, used);
}
