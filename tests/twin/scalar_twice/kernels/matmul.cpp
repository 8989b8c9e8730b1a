constexpr uint32_t INNER = 32, OUTER = 32;
__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    LocalTensor<float> weight = Load<float>(pipe, a, 0, INNER * OUTER);
    LocalTensor<float> x = Load<float>(pipe, b, s.first * INNER, s.count * INNER);
    LocalTensor<float> out = Room<float>(pipe, s.count * OUTER);
    Duplicate(out, 0.0f, s.count * OUTER);
    for (uint32_t r = 0; r < s.count; ++r) {
        for (uint32_t k = 0; k < INNER; ++k) {
            Axpy(out[r * OUTER], weight[k * OUTER], x.GetValue(r * INNER + k), OUTER);
        }
    }
    Store(y, out, s.first * OUTER, s.count * OUTER);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    __gm__ float *weight = (__gm__ float *)a, *x = (__gm__ float *)b, *out = (__gm__ float *)y;
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        float sums[OUTER] = {};
        for (uint32_t k = 0; k < INNER; ++k) {
            float value = x[r * INNER + k];
            for (uint32_t c = 0; c < OUTER; ++c) {
                sums[c] += value * weight[k * OUTER + c];
            }
        }
        for (uint32_t c = 0; c < OUTER; ++c) {
            out[r * OUTER + c] = sums[c];
        }
    }
}
