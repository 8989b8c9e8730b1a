__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n);
    LocalTensor<float> one = Room<float>(pipe, s.count);
    WholeReduceMax(one, x, LANES, s.count, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    Sub(x, x, EachRow(pipe, one, s.count), LANES, s.count, {1, 1, 0, 8, 8, 1});
    Exp(x, x, n);
    WholeReduceSum(one, x, LANES, s.count, 1, 1, 8);
    Div(x, x, EachRow(pipe, one, s.count), LANES, s.count, {1, 1, 0, 8, 8, 1});
    Store(y, x, s.first * s.cols, n);
}
// e^x for x <= 0: 2^k times a polynomial of the rest.
__aicore__ inline float Exponential(float x)
{
    if (x < -87.0f) {
        return 0.0f;
    }
    int32_t k = (int32_t)(x * 1.44269504f - 0.5f);
    float r = x - (float)k * 0.693359375f + (float)k * 2.12194440e-4f;
    float p = 1.0f + r * (1.0f + r * (0.5f + r * (0.16666667f + r * (0.04166667f + r * (0.00833333f + r * 0.00138889f)))));
    union {
        int32_t bits;
        float value;
    } power;
    power.bits = (k + 127) << 23;
    return p * power.value;
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    float row[LANES];
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        __gm__ float *x = (__gm__ float *)b + r * s.cols, *out = (__gm__ float *)y + r * s.cols;
        float top = x[0];
        for (uint32_t c = 0; c < s.cols; ++c) {
            row[c] = x[c];
            top = max(top, row[c]);
        }
        float sum = 0;
        for (uint32_t c = 0; c < s.cols; ++c) {
            row[c] = Exponential(row[c] - top);
            sum += row[c];
        }
        for (uint32_t c = 0; c < s.cols; ++c) {
            out[c] = row[c] / sum;
        }
    }
}
