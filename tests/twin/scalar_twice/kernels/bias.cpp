__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> bias = Load<float>(pipe, a, 0, s.cols), x = Load<float>(pipe, b, s.first * s.cols, n);
    Add(x, x, bias, LANES, s.count, {1, 1, 1, 8, 8, 0});
    Store(y, x, s.first * s.cols, n);
}
__aicore__ inline void Scalar(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> bias = Load<float>(pipe, a, 0, s.cols);
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, s.count * s.cols);
    __ubuf__ float *row = (__ubuf__ float *)x.GetPhyAddr(), *add = (__ubuf__ float *)bias.GetPhyAddr();
    for (uint32_t r = 0; r < s.count; ++r) {
        for (uint32_t c = 0; c < s.cols; ++c) {
            row[r * s.cols + c] += add[c];
        }
    }
    Store(y, x, s.first * s.cols, s.count * s.cols);
}
