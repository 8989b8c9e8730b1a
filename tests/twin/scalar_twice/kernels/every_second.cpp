__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n), out = Room<float>(pipe, n / 2);
    LocalTensor<int32_t> at = Room<int32_t>(pipe, n / 2);
    CreateVecIndex(at, (int32_t)0, n / 2);
    Muls(at, at, (int32_t)8, n / 2);
    Gather(out, x, at.ReinterpretCast<uint32_t>(), 0, n / 2);
    Store(y, out, s.first * s.cols / 2, n / 2);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    __gm__ float *x = (__gm__ float *)b, *out = (__gm__ float *)y;
    for (uint32_t i = s.first * s.cols / 2; i < (s.first + s.count) * s.cols / 2; ++i) {
        out[i] = x[2 * i];
    }
}
