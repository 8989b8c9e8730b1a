__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> table = Load<float>(pipe, a, 0, 256), out = Room<float>(pipe, n);
    LocalTensor<int32_t> index = Load<int32_t>(pipe, b, s.first * s.cols, n);
    Muls(index, index, (int32_t)4, n);
    Gather(out, table, index.ReinterpretCast<uint32_t>(), 0, n);
    Store(y, out, s.first * s.cols, n);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<float> table = Global<float>(a);
    __gm__ int32_t *index = (__gm__ int32_t *)b;
    __gm__ float *out = (__gm__ float *)y;
    for (uint32_t i = s.first * s.cols; i < (s.first + s.count) * s.cols; ++i) {
        out[i] = table.GetValue(index[i]);
    }
}
