__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<float> p = Load<float>(pipe, a, first, n), q = Load<float>(pipe, b, first, n);
    Add(p, p, q, n);
    Store(y, p, first, n);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    __gm__ float *p = (__gm__ float *)a, *q = (__gm__ float *)b, *r = (__gm__ float *)y;
    for (uint32_t i = s.first * s.cols; i < (s.first + s.count) * s.cols; ++i) {
        r[i] = p[i] + q[i];
    }
}
