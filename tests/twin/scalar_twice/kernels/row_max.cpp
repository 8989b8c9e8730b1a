__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, s.count * s.cols);
    LocalTensor<float> top = Room<float>(pipe, s.count);
    WholeReduceMax(top, x, LANES, s.count, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    Store(y, top, s.first, s.count);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<float> x = Global<float>(b), out = Global<float>(y);
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        float top = x.GetValue(r * s.cols);
        for (uint32_t c = 1; c < s.cols; ++c) {
            top = max(top, x.GetValue(r * s.cols + c));
        }
        out.SetValue(r, top);
    }
}
