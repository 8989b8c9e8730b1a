__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, s.count * s.cols);
    LocalTensor<float> sum = Room<float>(pipe, s.count);
    WholeReduceSum(sum, x, LANES, s.count, 1, 1, 8);
    Store(y, sum, s.first, s.count);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        __gm__ float *row = (__gm__ float *)b + r * s.cols;
        float sum = 0;
        for (uint32_t c = 0; c < s.cols; ++c) {
            sum += row[c];
        }
        ((__gm__ float *)y)[r] = sum;
    }
}
