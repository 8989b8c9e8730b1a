__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, first, n);
    LocalTensor<half> out = Room<half>(pipe, n);
    Cast(out, x, RoundMode::CAST_RINT, n);
    Store(y, out, first, n);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    __gm__ float *x = (__gm__ float *)b;
    __gm__ half *out = (__gm__ half *)y;
    for (uint32_t i = s.first * s.cols; i < (s.first + s.count) * s.cols; ++i) {
        out[i] = (half)x[i];
    }
}
