// Windows of an image as rows of a matrix, on the way from L1 into L0A and L0B, and the
// registers that describe the image.
#include "akgen/cube.h"
#include "device/guest.h"
#include "operand.h"
#include <cstring>

namespace akgen::twin {

namespace {
struct ImageRegisters {
    bool shaped = false, padded = false;
    uint32_t height = 0, width = 0, repeats = 1, boundary = 0;
    uint8_t pads[4] = {};
    uint64_t padding = 0;
};
ImageRegisters &image_registers()
{
    static thread_local ImageRegisters registers; // one core is one thread
    return registers;
}
} // namespace

void image_shape(uint32_t height, uint32_t width, const uint8_t *pads)
{
    ImageRegisters &kept = image_registers();
    require_guest("SetFmatrix", __builtin_return_address(0), pads, sizeof kept.pads, false);
    kept.shaped = true;
    kept.height = height;
    kept.width = width;
    std::memcpy(kept.pads, pads, sizeof kept.pads);
}
void image_padding(uint64_t value)
{
    image_registers().padded = true;
    image_registers().padding = value;
}
void image_repeat(uint32_t times) { image_registers().repeats = times; }
void image_boundary(uint32_t value) { image_registers().boundary = value; }

void load_image(View dst, View src, const Image &given, bool own_shape, bool own_padding, DType dtype)
{
    const char *api = "LoadData";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const ImageRegisters &kept = image_registers();
    Image p = given;
    if (!own_shape) {
        if (!kept.shaped) {
            trap("CUBE_RANGE", api, pc, "LoadData: isSetFMatrix is false, and SetFmatrix was not called before.");
        }
        p.height = kept.height;
        p.width = kept.width;
        p.pad_left = kept.pads[0];
        p.pad_right = kept.pads[1];
        p.pad_top = kept.pads[2];
        p.pad_bottom = kept.pads[3];
    }
    if (!own_padding && kept.padded) {
        p.pad_value = kept.padding;
    }
    if (kept.repeats > 1 || kept.boundary != 0) {
        trap("CUBE_RANGE", api, pc,
             "LoadData: %u repeats and a boundary of %u are set; the twin takes one repeat and no boundary.",
             kept.repeats, kept.boundary);
    }
    if (p.k_extent == 0 || p.m_extent == 0) {
        return;
    }
    const Space to = require_either(api, pc, "dst", dst, Space::L0A, Space::L0B);
    require_space(api, pc, "src", src, Space::L1);
    const uint32_t size = dtype_bytes(dtype), c0 = lanes_of(dtype);
    const uint32_t span_w = (p.filter_w - 1) * p.dilation_w + 1, span_h = (p.filter_h - 1) * p.dilation_h + 1;
    if (p.stride_w == 0 || p.stride_h == 0 || p.filter_w == 0 || p.filter_h == 0 ||
        p.width + p.pad_left + p.pad_right < span_w || p.height + p.pad_top + p.pad_bottom < span_h) {
        trap("CUBE_RANGE", api, pc,
             "%s: an image of %u x %u with a filter of %u x %u and strides %u x %u has no output.", api, p.height,
             p.width, p.filter_h, p.filter_w, p.stride_h, p.stride_w);
    }
    const uint32_t out_w = (p.width + p.pad_left + p.pad_right - span_w) / p.stride_w + 1;
    const bool right = to == Space::L0B;
    if (right && size == 1) {
        trap("DTYPE_SUPPORT", api, pc,
             "%s: windows of %s go to L0A only; L0B takes half, bfloat16_t, float, int32_t, uint32_t.", api,
             dtype_name(dtype));
    }
    // Left operand: 16 x C0 fractals, row by row. Right operand: C0 x 16 fractals of the same
    // matrix, columns inside first.
    const uint32_t rows = blocks_of(p.m_extent, right ? c0 : 16), columns = blocks_of(p.k_extent, right ? 16 : c0);
    const uint32_t planes = blocks_of(p.channels, c0);
    Instr in = cube_instr(api, right ? "LoadData3D L0B" : "LoadData3D L0A", pc, Pipe::MTE1, dtype);
    in.n_access = 2;
    in.access[0] = one_run(dst.data, uint64_t{rows} * columns * fractal_bytes, true, dst.size_bytes);
    in.access[1] = one_run(src.data, uint64_t{planes} * p.height * p.width * c0_bytes, false, src.size_bytes);
    issue(in);
    // The 32 bytes of the image that hold element (m, k) of the matrix; none where the border lies.
    const auto block_of = [&](uint32_t m, uint32_t k) -> const uint8_t * {
        const uint32_t tap = k / c0;
        const uint32_t kw = tap % p.filter_w, kh = tap / p.filter_w % p.filter_h, plane = tap / p.filter_w / p.filter_h;
        const int64_t h = int64_t{m / out_w} * p.stride_h + int64_t{kh} * p.dilation_h - p.pad_top;
        const int64_t w = int64_t{m % out_w} * p.stride_w + int64_t{kw} * p.dilation_w - p.pad_left;
        if (h < 0 || w < 0 || h >= p.height || w >= p.width || plane >= planes) {
            return nullptr;
        }
        return src.data +
               ((uint64_t{plane} * p.height + static_cast<uint64_t>(h)) * p.width + static_cast<uint64_t>(w)) *
                   c0_bytes;
    };
    const auto *padding = reinterpret_cast<const uint8_t *>(&p.pad_value);
    const uint32_t high = rows * (right ? c0 : 16), wide = columns * (right ? 16 : c0);
    for (uint32_t m = 0; m < high; ++m) {
        for (uint32_t k = 0; k < wide; ++k) {
            const uint64_t fractal = right ? uint64_t{m / c0} * columns + k / 16 : uint64_t{m / 16} * columns + k / c0;
            const uint32_t inside = right ? k % 16 * c0 + m % c0 : m % 16 * c0 + k % c0;
            const uint32_t column = p.k_start + k;
            const uint8_t *block = block_of(p.m_start + m, column);
            const uint8_t *from = block ? block : padding;
            const uint32_t lane = block ? column % c0 : 0;
            uint8_t *to_fractal = dst.data + fractal * fractal_bytes;
            if (dtype == DType::I4) {
                put_nibble(to_fractal, inside, nibble_at(from, lane));
            } else {
                std::memcpy(to_fractal + inside * size, from + lane * size, size);
            }
        }
    }
}

} // namespace akgen::twin
