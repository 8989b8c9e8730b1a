__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> weight = Load<float>(pipe, a, 0, s.cols), x = Load<float>(pipe, b, s.first * s.cols, n);
    LocalTensor<float> one = Room<float>(pipe, s.count), square = Room<float>(pipe, n);
    Mul(square, x, x, n);
    WholeReduceSum(one, square, LANES, s.count, 1, 1, 8);
    Muls(one, one, 1.0f / LANES, s.count);
    Adds(one, one, 1e-6f, s.count);
    Sqrt(one, one, s.count);
    Div(x, x, EachRow(pipe, one, s.count), LANES, s.count, {1, 1, 0, 8, 8, 1});
    Mul(x, x, weight, LANES, s.count, {1, 1, 1, 8, 8, 0});
    Store(y, x, s.first * s.cols, n);
}
__aicore__ inline void Scalar(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> held = Load<float>(pipe, b, s.first * s.cols, s.count * s.cols);
    __ubuf__ float *x = (__ubuf__ float *)held.GetPhyAddr();
    __gm__ float *weight = (__gm__ float *)a;
    for (uint32_t r = 0; r < s.count; ++r, x += s.cols) {
        float squares = 0;
        for (uint32_t c = 0; c < s.cols; ++c) {
            squares += x[c] * x[c];
        }
        float size = sqrt(squares / (float)(int32_t)s.cols + 1e-6f);
        for (uint32_t c = 0; c < s.cols; ++c) {
            x[c] = x[c] / size * weight[c];
        }
    }
    Store(y, held, s.first * s.cols, s.count * s.cols);
}
