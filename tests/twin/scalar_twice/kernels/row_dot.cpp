__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<float> p = Load<float>(pipe, a, first, n), q = Load<float>(pipe, b, first, n);
    LocalTensor<float> sum = Room<float>(pipe, s.count);
    Mul(p, p, q, n);
    WholeReduceSum(sum, p, LANES, s.count, 1, 1, 8);
    Store(y, sum, s.first, s.count);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<float> p = Global<float>(a), out = Global<float>(y);
    __gm__ float *q = (__gm__ float *)b;
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        float sum = 0;
        for (uint32_t i = r * s.cols; i < (r + 1) * s.cols; ++i) {
            sum += p.GetValue(i) * q[i];
        }
        out.SetValue(r, sum);
    }
}
