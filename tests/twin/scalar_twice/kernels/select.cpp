__aicore__ inline void Vector(TPipe &pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    uint32_t n = s.count * s.cols, first = s.first * s.cols;
    LocalTensor<float> p = Load<float>(pipe, a, first, n), q = Load<float>(pipe, b, first, n);
    LocalTensor<uint8_t> greater = Room<uint8_t>(pipe, n / 8);
    Compare(greater, p, q, CMPMODE::GT, n);
    Muls(q, q, 2.0f, n);
    Select(p, greater, p, q, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
    Store(y, p, first, n);
}
__aicore__ inline void Scalar(TPipe &, GM_ADDR a, GM_ADDR b, GM_ADDR y, Share s)
{
    GlobalTensor<float> p = Global<float>(a), q = Global<float>(b), out = Global<float>(y);
    for (uint32_t i = s.first * s.cols; i < (s.first + s.count) * s.cols; ++i) {
        float left = p.GetValue(i), right = q.GetValue(i);
        out.SetValue(i, left > right ? left : 2.0f * right);
    }
}
