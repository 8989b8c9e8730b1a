__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n), turned = Room<float>(pipe, n);
    Gather(turned, x, Turned(pipe, 16, s.cols, 4), 0, n); // 16 rows for each core
    PipeBarrier<PIPE_ALL>();
    DataCopyExtParams copy{(uint16_t)s.cols, s.count * 4, 0, (s.rows - s.count) * 4, 0};
    DataCopyPad(Global<float>(y)[s.first], turned, copy);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    __gm__ float *x = (__gm__ float *)b, *out = (__gm__ float *)y;
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        for (uint32_t c = 0; c < s.cols; ++c) {
            out[c * s.rows + r] = x[r * s.cols + c];
        }
    }
}
