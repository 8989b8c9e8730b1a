__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<half> x = Load<half>(pipe, b, first, n);
    Muls(x, x, (half)0.5f, n);
    Adds(x, x, (half)1.0f, n);
    Store(y, x, first, n);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<half> x = Global<half>(b), out = Global<half>(y);
    for (uint32_t i = s.first * s.cols; i < (s.first + s.count) * s.cols; ++i) {
        out.SetValue(i, (half)((float)x.GetValue(i) * 0.5f + 1.0f));
    }
}
