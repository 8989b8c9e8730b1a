// TransData: NCDHW to NDC1HWC0 or FRACTAL_Z_3D and back, in the Unified Buffer. Source: page TransData.
#include "akgen/vector.h"
#include "composite.h"
#include "device/guest.h"
#include <cstring>

namespace akgen::twin {

namespace {
constexpr uint64_t c0 = 16;
constexpr uint64_t up(uint64_t count) { return (count + c0 - 1) / c0; }

struct Image {
    uint64_t n, c, d, hw;

    uint64_t plain(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const // h x w filled up to a block
    {
        return ((in * c + ic) * d + id) * up(hw) * c0 + at;
    }
    uint64_t in_channels(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const // N D C1 HW C0
    {
        return (((in * d + id) * up(c) + ic / c0) * hw + at) * c0 + ic % c0;
    }
    uint64_t in_fractals(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const // D C1 HW N1 N0 C0
    {
        return ((id * up(c) + ic / c0) * hw + at) * up(n) * c0 * c0 + in * c0 + ic % c0;
    }
};
} // namespace

void trans_data(DType type, View dst, View src, View work, const uint32_t *axes, bool blocks, bool back)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::TransData.name;
    require_guest(api, pc, axes, 5 * sizeof *axes, false);
    const Image image{axes[0], axes[1], axes[2], uint64_t{axes[3]} * axes[4]};
    const uint64_t plain = image.n * image.c * image.d * up(image.hw) * c0;
    const uint64_t split = image.d * up(image.c) * image.hw * c0 * (blocks ? up(image.n) * c0 : image.n);
    if (plain == 0) {
        return;
    }
    Composite call(apis::TransData, pc, type, std::max(plain, split));
    call.span("srcTensor", src, (back ? split : plain) * 2, false);
    call.span("dstTensor", dst, (back ? plain : split) * 2, true);
    call.no_sharing();
    call.temporary(work, 32);
    call.record();
    const std::vector<uint8_t> held(src.data, src.data + (back ? split : plain) * 2);
    // What fills h x w up is not defined; channels and images that are not there are 0.
    std::memset(dst.data, back ? 0xff : 0, (back ? plain : split) * 2);
    for (uint64_t n = 0; n < image.n; ++n) {
        for (uint64_t c = 0; c < image.c; ++c) {
            for (uint64_t d = 0; d < image.d; ++d) {
                for (uint64_t at = 0; at < image.hw; ++at) {
                    const uint64_t one = image.plain(n, c, d, at);
                    const uint64_t other = blocks ? image.in_fractals(n, c, d, at) : image.in_channels(n, c, d, at);
                    std::memcpy(dst.data + (back ? one : other) * 2, held.data() + (back ? other : one) * 2, 2);
                }
            }
        }
    }
}

} // namespace akgen::twin
