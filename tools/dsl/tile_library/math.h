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

// tile: TileTanh TilePolynomial TileScratchAt
// x P(x^2) / Q(x^2) on [-9, 9].
__aicore__ inline void TileTanh(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const float p[6] = {1.0f,
                        0.1368085741996765f,
                        0.003869509557262063f,
                        2.803132520057261e-05f,
                        3.0642500092881164e-08f,
                        -1.2246175427887973e-11f};
    const float q[5] = {1.0f, 0.4701418876647949f, 0.02725016325712204f, 0.0003940715396311134f,
                        1.2890352536487626e-06f};
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> clamped = TileScratchAt(scratch, 0, n);
    LocalTensor<float> square = TileScratchAt(scratch, 1, n);
    LocalTensor<float> series = TileScratchAt(scratch, 2, n);
    Mins(clamped, x, 9.0f, count);
    Maxs(clamped, clamped, -9.0f, count);
    Mul(square, clamped, clamped, count);
    TilePolynomial(series, square, p, count);
    Mul(clamped, clamped, series, count);
    TilePolynomial(series, square, q, count);
    Div(d, clamped, series, count);
    Mins(d, d, 1.0f, count);
    Maxs(d, d, -1.0f, count);
}

// tile: TileErf TilePolynomial TileScratchAt
// x P(x^2) / Q(x^2) on [-3.92, 3.92], where erf reaches 1 in single precision.
__aicore__ inline void TileErf(const LocalTensor<float> &d, const LocalTensor<float> &x,
                               TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const float p[6] = {1.1283791065216064f,   0.19040460884571075f,    0.05274827033281326f,
                        0.003765478264540434f, 0.00028486974770203233f, 2.0499749098235043e-06f};
    const float q[6] = {1.0f,
                        0.5020744204521179f,
                        0.11410815268754959f,
                        0.014968949370086193f,
                        0.0011624833568930626f,
                        3.8089863664936274e-05f};
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> clamped = TileScratchAt(scratch, 0, n);
    LocalTensor<float> square = TileScratchAt(scratch, 1, n);
    LocalTensor<float> series = TileScratchAt(scratch, 2, n);
    Mins(clamped, x, 3.92f, count);
    Maxs(clamped, clamped, -3.92f, count);
    Mul(square, clamped, clamped, count);
    TilePolynomial(series, square, p, count);
    Mul(clamped, clamped, series, count);
    TilePolynomial(series, square, q, count);
    Div(d, clamped, series, count);
    Mins(d, d, 1.0f, count);
    Maxs(d, d, -1.0f, count);
}

// tile: TileGelu TileErf
// 0.5 x (1 + erf(x / sqrt 2)); erf's argument lies in the first scratch tile, x is read again at the end.
__aicore__ inline void TileGelu(const LocalTensor<float> &d, const LocalTensor<float> &x,
                                TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> value = TileScratchAt(scratch, 2, n);
    Muls(value, x, 0.70710678f, count);
    TileErf(value, value, scratch, n);
    Adds(value, value, 1.0f, count);
    Mul(d, x, value, count);
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

// tile: TileSine TilePolynomial TileScratchAt
// sin(x + shift pi): k = round(x / pi + shift), r = x - (k - shift) pi in three parts, then (-1)^k sin(r).
// Precise for |x| up to about 10^4.
__aicore__ inline void TileSine(const LocalTensor<float> &d, const LocalTensor<float> &x, float shift,
                                TBuf<TPosition::VECCALC> &scratch, int64_t n)
{
    const float p[6] = {1.0f,
                        -0.1666666716337204f,
                        0.008333330973982811f,
                        -0.00019840816094074398f,
                        2.7523108201421564e-06f,
                        -2.3853276687191283e-08f};
    const int32_t count = static_cast<int32_t>(n);
    LocalTensor<float> turns = TileScratchAt(scratch, 0, n);
    LocalTensor<float> part = TileScratchAt(scratch, 1, n);
    LocalTensor<float> rest = TileScratchAt(scratch, 2, n);
    Muls(turns, x, 0.31830989f, count);
    Adds(turns, turns, shift, count);
    Cast(turns, turns, RoundMode::CAST_RINT, count);
    Adds(turns, turns, -shift, count);
    Muls(part, turns, -3.140625f, count);
    Add(rest, x, part, count);
    Muls(part, turns, -0.00096750259399414062f, count);
    Add(rest, rest, part, count);
    Muls(part, turns, -1.5099579909783764e-07f, count);
    Add(rest, rest, part, count);
    Adds(turns, turns, shift, count);
    Muls(part, turns, 0.5f, count);
    Cast(part, part, RoundMode::CAST_FLOOR, count);
    Muls(part, part, -2.0f, count);
    Add(turns, turns, part, count);
    Muls(turns, turns, -2.0f, count);
    Adds(turns, turns, 1.0f, count);
    Mul(turns, turns, rest, count);
    Mul(rest, rest, rest, count);
    TilePolynomial(part, rest, p, count);
    Mul(d, turns, part, count);
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
