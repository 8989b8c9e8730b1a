__aicore__ inline void Vector(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n);
    LocalTensor<float> left = Room<float>(pipe, n / 2), right = Room<float>(pipe, n / 2);
    LocalTensor<int32_t> at = Room<int32_t>(pipe, n / 2);
    CreateVecIndex(at, (int32_t)0, n / 2);
    Muls(at, at, (int32_t)8, n / 2);
    Gather(left, x, at.ReinterpretCast<uint32_t>(), 0, n / 2);
    Gather(right, x, at.ReinterpretCast<uint32_t>(), 4, n / 2);
    Add(left, left, right, n / 2);
    Muls(left, left, 0.5f, n / 2);
    Store(y, left, s.first * s.cols / 2, n / 2);
}
__aicore__ inline void Scalar(TPipe &pipe, GM_ADDR, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols;
    LocalTensor<float> x = Load<float>(pipe, b, s.first * s.cols, n), out = Room<float>(pipe, n / 2);
    for (uint32_t i = 0; i < n / 2; ++i) {
        out.SetValue(i, 0.5f * (x.GetValue(2 * i) + x.GetValue(2 * i + 1)));
    }
    Store(y, out, s.first * s.cols / 2, n / 2);
}
