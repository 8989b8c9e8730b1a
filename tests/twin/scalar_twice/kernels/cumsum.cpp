__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n), turned = Room<float>(pipe, n);
    Gather(turned, x, Turned(pipe, 16, s.cols, 4), 0, n); // 16 rows for each core, one in each lane
    for (uint32_t c = 1; c < s.cols; ++c) {
        Add(turned[c * 16], turned[c * 16], turned[(c - 1) * 16], 16);
    }
    Gather(x, turned, Turned(pipe, s.cols, 16, 6), 0, n);
    Store(y, x, s.first * s.cols, n);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<float> x = Global<float>(b), out = Global<float>(y);
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        float sum = 0;
        for (uint32_t c = 0; c < s.cols; ++c) {
            sum += x.GetValue(r * s.cols + c);
            out.SetValue(r * s.cols + c, sum);
        }
    }
}
