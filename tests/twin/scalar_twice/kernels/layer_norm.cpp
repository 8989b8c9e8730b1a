__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n);
    LocalTensor<float> one = Room<float>(pipe, s.count), square = Room<float>(pipe, n);
    WholeReduceSum(one, x, LANES, s.count, 1, 1, 8);
    Muls(one, one, 1.0f / LANES, s.count);
    Sub(x, x, EachRow(pipe, one, s.count), LANES, s.count, {1, 1, 0, 8, 8, 1});
    Mul(square, x, x, n);
    WholeReduceSum(one, square, LANES, s.count, 1, 1, 8);
    Muls(one, one, 1.0f / LANES, s.count);
    Adds(one, one, 1e-5f, s.count);
    Sqrt(one, one, s.count);
    Div(x, x, EachRow(pipe, one, s.count), LANES, s.count, {1, 1, 0, 8, 8, 1});
    Store(y, x, s.first * s.cols, n);
}
__aicore__ inline void Scalar(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, s.count * s.cols);
    for (uint32_t r = 0; r < s.count; ++r) {
        float sum = 0, squares = 0;
        for (uint32_t c = 0; c < s.cols; ++c) {
            sum += x.GetValue(r * s.cols + c);
        }
        float mean = sum / (float)(int32_t)s.cols;
        for (uint32_t c = 0; c < s.cols; ++c) {
            float d = x.GetValue(r * s.cols + c) - mean;
            squares += d * d;
        }
        float deviation = sqrt(squares / (float)(int32_t)s.cols + 1e-5f);
        for (uint32_t c = 0; c < s.cols; ++c) {
            x.SetValue(r * s.cols + c, (x.GetValue(r * s.cols + c) - mean) / deviation);
        }
    }
    Store(y, x, s.first * s.cols, s.count * s.cols);
}
