// The mask register: normal mode (bits per repeat) and counter mode (elements in all).
#pragma once
#include "ascendc/vector_dtypes.h"

namespace AscendC {

AKGEN_INLINE void SetMaskCount() { akgen::twin::mask_mode(true); }
AKGEN_INLINE void SetMaskNorm() { akgen::twin::mask_mode(false); }
AKGEN_INLINE void ResetMask() { akgen::twin::mask_bits(FULL_MASK, FULL_MASK); }

template <typename T, MaskMode mode = MaskMode::NORMAL>
AKGEN_INLINE void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow)
{
    akgen::twin::mask_bits(mode == MaskMode::COUNTER ? 0 : maskHigh, maskLow);
}
template <typename T, MaskMode mode = MaskMode::NORMAL> AKGEN_INLINE void SetVectorMask(int32_t len)
{
    akgen::twin::mask_length(static_cast<uint64_t>(len), detail::dtype_of<T>(), mode == MaskMode::COUNTER);
}

class AscendCUtils {
public:
    template <typename T> static AKGEN_INLINE void SetMask(const uint64_t &maskHigh, const uint64_t &maskLow)
    {
        akgen::twin::mask_bits(maskHigh, maskLow);
    }
    template <typename T> static AKGEN_INLINE void SetMask(int32_t len)
    {
        akgen::twin::mask_length(static_cast<uint64_t>(len), detail::dtype_of<T>(), false);
    }
    template <typename T> static AKGEN_INLINE void SetMaskCount() { akgen::twin::mask_mode(true); }
    template <typename T> static AKGEN_INLINE void SetMaskNorm() { akgen::twin::mask_mode(false); }
    static AKGEN_INLINE constexpr int32_t GetC0Count(const int32_t dtypeSize) { return DEFAULT_C0_SIZE / dtypeSize; }
    // Bit 48 of the control register: 0 lets floats end at the largest number, 1 keeps infinity and NaN.
    static AKGEN_INLINE void SetOverflow(uint64_t ctrlValue) { akgen::twin::set_saturation(false, ctrlValue == 0); }
    static AKGEN_INLINE void ResetMask() { akgen::twin::mask_bits(FULL_MASK, FULL_MASK); }
};

} // namespace AscendC
