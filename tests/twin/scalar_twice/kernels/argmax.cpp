__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, s.count * s.cols);
    LocalTensor<float> where = Room<float>(pipe, s.count);
    WholeReduceMax(where, x, LANES, s.count, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX);
    Store(y, where.ReinterpretCast<int32_t>(), s.first, s.count);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    __gm__ int32_t *out = (__gm__ int32_t *)y;
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        __gm__ float *row = (__gm__ float *)b + r * s.cols;
        float top = row[0];
        int32_t where = 0;
        for (uint32_t c = 1; c < s.cols; ++c) {
            float value = row[c];
            if (value > top) {
                top = value;
                where = c;
            }
        }
        out[r] = where;
    }
}
