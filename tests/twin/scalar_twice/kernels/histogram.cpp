constexpr uint32_t BINS = 8;
__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<int32_t> given = Load<int32_t>(pipe, b, s.first * s.cols, n);
    LocalTensor<float> x = Room<float>(pipe, n), ones = Room<float>(pipe, n), hit = Room<float>(pipe, n);
    LocalTensor<float> counts = Room<float>(pipe, BINS * 16), turned = Room<float>(pipe, BINS * 16);
    LocalTensor<uint8_t> equal = Room<uint8_t>(pipe, n / 8);
    Cast(x, given, RoundMode::CAST_NONE, n);
    Duplicate(ones, 1.0f, n);
    for (uint32_t bin = 0; bin < BINS; ++bin) {
        CompareScalar(equal, x, (float)(int32_t)bin, CMPMODE::EQ, n);
        Select(hit, equal, ones, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
        WholeReduceSum(counts[bin * 16], hit, LANES, 16, 1, 1, 8); // 16 rows for each core
    }
    Gather(turned, counts, Turned(pipe, BINS, 16, 3), 0, BINS * 16);
    LocalTensor<int32_t> out = Room<int32_t>(pipe, BINS * 16);
    Cast(out, turned, RoundMode::CAST_RINT, BINS * 16);
    Store(y, out, s.first * BINS, BINS * 16);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<int32_t> x = Global<int32_t>(b), out = Global<int32_t>(y);
    for (uint32_t r = s.first; r < s.first + s.count; ++r) {
        int32_t counts[BINS] = {};
        for (uint32_t c = 0; c < s.cols; ++c) {
            ++counts[x.GetValue(r * s.cols + c)];
        }
        for (uint32_t bin = 0; bin < BINS; ++bin) {
            out.SetValue(r * BINS + bin, counts[bin]);
        }
    }
}
