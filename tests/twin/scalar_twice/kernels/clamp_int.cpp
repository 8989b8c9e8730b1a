__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<int32_t> x = Load<int32_t>(pipe, b, first, n);
    Maxs(x, x, (int32_t)-10, n);
    Mins(x, x, (int32_t)10, n);
    Store(y, x, first, n);
}
__aicore__ inline void Scalar(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<int32_t> x = Load<int32_t>(pipe, b, first, n);
    for (uint32_t i = 0; i < n; ++i) {
        x.SetValue(i, min(max(x.GetValue(i), (int32_t)-10), (int32_t)10));
    }
    Store(y, x, first, n);
}
