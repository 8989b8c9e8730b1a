// Windows of an image as rows of a matrix (im2col), on the way from L1 into L0A and L0B, and the registers that describe
// the image and how often a part of the matrix is taken.
#include "akgen/cube.h"
#include "device/guest.h"
#include "device/of_core.h"
#include "operand.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

namespace {
struct ImageRegisters {
    bool shaped = false, padded = false;
    uint32_t height = 0, width = 0, boundary = 0;
    uint8_t pads[4] = {};
    uint64_t padding = 0;
    ImageRepeat repeat = {1, 0, false};
};
ImageRegisters &image_registers()
{
    static thread_local OfCore<ImageRegisters> registers;
    return *registers;
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
void image_repeat(ImageRepeat repeat) { image_registers().repeat = repeat; }
void image_boundary(uint32_t value)
{
    if (value != 0 && value < 1024) {
        trap("CUBE_RANGE", "SetLoadDataBoundary", __builtin_return_address(0),
             "SetLoadDataBoundary: the boundary is %u bytes; it is 0 or at least 1024.", value);
    }
    image_registers().boundary = value;
}

namespace {
// The image's bytes in L1 and the matrix that it becomes: a row for each place of the filter, a column for each channel of
// each tap. Channels come in planes of C0; what is left of them makes a last, narrower plane.
struct ImageMatrix {
    Image p;
    uint32_t c0, element_bits, out_w, whole, narrow; // planes of C0; channels of the last one
    uint64_t rows, whole_columns, columns;

    // How many columns from `k` on lie together in the image.
    uint32_t together(uint32_t k) const { return k < whole_columns || narrow == 0 ? c0 : narrow; }
    // Byte of the image where element (m, k) lies; -1 where the border does.
    int64_t offset(uint32_t m, uint32_t k) const
    {
        if (k >= columns) {
            return -1;
        }
        const bool last = k >= whole_columns;
        const uint32_t at = last ? static_cast<uint32_t>(k - whole_columns) : k, channels = last ? narrow : c0;
        const uint32_t tap = at / channels, kw = tap % p.filter_w, kh = tap / p.filter_w % p.filter_h;
        const uint32_t plane = last ? whole : tap / p.filter_w / p.filter_h;
        const int64_t h = int64_t{m / out_w} * p.stride_h + int64_t{kh} * p.dilation_h - p.pad_top;
        const int64_t w = int64_t{m % out_w} * p.stride_w + int64_t{kw} * p.dilation_w - p.pad_left;
        if (h < 0 || w < 0 || h >= p.height || w >= p.width || m >= rows) {
            return -1;
        }
        const uint64_t pixels = uint64_t{p.height} * p.width, pixel = static_cast<uint64_t>(h * p.width + w);
        const uint64_t channel = plane * pixels * c0 + pixel * channels + at % channels;
        return static_cast<int64_t>(channel * element_bits / 8);
    }
};

// channelSize is whole planes and at most one narrower one, of 2, 4, 8 or 16 bytes for most types.
void require_channels(const char *api, const void *pc, const ImageMatrix &x, DType dtype)
{
    const uint32_t least = dtype == DType::I4 ? 8 : 4;
    const bool power = (x.narrow & (x.narrow - 1)) == 0;
    if (x.narrow != 0 && (x.narrow < least || !power)) {
        trap("CUBE_RANGE", api, pc,
             "%s: channelSize is %u; of %s it is a multiple of %u, or %u, %u, ... below %u more than one.", api,
             x.p.channels, dtype_name(dtype), x.c0, least, 2 * least, x.c0);
    }
}

ImageMatrix image_matrix(const char *api, const void *pc, const Image &p, DType dtype)
{
    const uint32_t span_w = (p.filter_w - 1) * p.dilation_w + 1, span_h = (p.filter_h - 1) * p.dilation_h + 1;
    if (p.stride_w == 0 || p.stride_h == 0 || p.width + p.pad_left + p.pad_right < span_w ||
        p.height + p.pad_top + p.pad_bottom < span_h) {
        trap("CUBE_RANGE", api, pc,
             "%s: an image of %u x %u with a filter of %u x %u and strides %u x %u has no output.", api, p.height,
             p.width, p.filter_h, p.filter_w, p.stride_h, p.stride_w);
    }
    require_limit(api, pc, "strideW", p.stride_w, 63);
    require_limit(api, pc, "strideH", p.stride_h, 63);
    require_limit(api, pc, "mStartPt", p.m_start, 32767);
    ImageMatrix x{};
    x.p = p;
    x.c0 = lanes_of(dtype);
    x.element_bits = dtype == DType::I4 ? 4 : dtype_bytes(dtype) * 8;
    x.out_w = (p.width + p.pad_left + p.pad_right - span_w) / p.stride_w + 1;
    x.rows = uint64_t{x.out_w} * ((p.height + p.pad_top + p.pad_bottom - span_h) / p.stride_h + 1);
    x.whole = p.channels / x.c0;
    x.narrow = p.channels % x.c0;
    x.whole_columns = uint64_t{x.whole} * x.c0 * p.filter_w * p.filter_h;
    x.columns = uint64_t{p.channels} * p.filter_w * p.filter_h;
    require_channels(api, pc, x, dtype);
    return x;
}

// The part that is taken: whole fractals, but at the matrix's lower and right ends.
void require_part(const char *api, const void *pc, const ImageMatrix &x, DType dtype)
{
    const Image &p = x.p;
    if (p.k_start % x.c0 != 0) {
        trap("CUBE_RANGE", api, pc, "%s: kStartPt is %u; for %s it is a multiple of %u.", api, p.k_start,
             dtype_name(dtype), x.c0);
    }
    if (p.k_extent % x.c0 != 0 && uint64_t{p.k_start} + p.k_extent < x.columns) {
        trap("CUBE_RANGE", api, pc,
             "%s: kExtension is %u and ends before column %llu, the last; there it is a multiple of %u.", api,
             p.k_extent, static_cast<unsigned long long>(x.columns), x.c0);
    }
    if (dtype_bytes(dtype) < 4 && p.m_extent % 16 != 0 && uint64_t{p.m_start} + p.m_extent < x.rows) {
        trap("CUBE_RANGE", api, pc,
             "%s: mExtension is %u and ends before row %llu, the last; there it is a multiple of 16.", api, p.m_extent,
             static_cast<unsigned long long>(x.rows));
    }
}

// Where element (m, k) of the part comes to lie, in elements. Transposed or in L0B, fractals hold C0 of m beside each
// other; else C0 of k.
struct ImagePart {
    bool left, transposed;
    uint32_t c0, high, wide; // the part's rows and columns, whole fractals

    uint64_t at(uint32_t m, uint32_t k) const
    {
        if (left && !transposed) {
            return (uint64_t{m / 16} * (wide / c0) + k / c0) * 16 * c0 + m % 16 * c0 + k % c0;
        }
        const uint64_t fractal = left ? uint64_t{k / 16} * (high / c0) + m / c0 : uint64_t{m / c0} * columns() + k / 16;
        return fractal * 16 * c0 + k % 16 * c0 + m % c0;
    }
    uint32_t columns() const { return blocks_of(wide, 16); }
    uint64_t fractals() const
    {
        return left && !transposed ? uint64_t{high / 16} * (wide / c0) : uint64_t{columns()} * (high / c0);
    }
};

Image with_registers(const char *api, const void *pc, const Image &given, bool own_shape, bool own_padding)
{
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
    return p;
}
} // namespace

void load_image(View dst, View src, const Image &given, bool own_shape, bool own_padding, DType dtype)
{
    const char *api = "LoadData";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    const Image p = with_registers(api, pc, given, own_shape, own_padding);
    const ImageRepeat repeat = image_registers().repeat;
    const uint32_t boundary = image_registers().boundary;
    if (p.height == 0 || p.width == 0 || p.channels == 0 || p.k_extent == 0 || p.m_extent == 0 || p.filter_w == 0 ||
        p.filter_h == 0 || repeat.times == 0) {
        return;
    }
    const Space to = require_either(api, pc, "dst", dst, Space::L0A, Space::L0B);
    require_space(api, pc, "src", src, Space::L1);
    const bool left = to == Space::L0A;
    const uint32_t size = dtype_bytes(dtype);
    if (size == 1 && (!left || p.transpose)) {
        trap(
            "DTYPE_SUPPORT", api, pc,
            "%s: windows of %s go to L0A only, as they are; L0B and enTranspose take half, bfloat16_t, float, int32_t, "
            "uint32_t.",
            api, dtype_name(dtype));
    }
    const ImageMatrix x = image_matrix(api, pc, p, dtype);
    require_part(api, pc, x, dtype);
    // Repeats along m lie below each other, along k beside each other: one part, whatever becomes of it.
    const uint32_t m_each = blocks_of(p.m_extent, 16) * 16, k_each = blocks_of(p.k_extent, x.c0) * x.c0;
    const ImagePart target{left, p.transpose, x.c0, repeat.along_k ? m_each : m_each * repeat.times,
                           repeat.along_k ? k_each * repeat.times : k_each};
    if (repeat.along_k && repeat.times > 1 && left && !p.transpose && m_each > 16) {
        warn("CUBE_RANGE", api, pc,
             "%s: the documentation does not say how %u repeats along k of more than 16 rows lie in L0A; here they are "
             "one matrix, side by side.",
             api, repeat.times);
    }
    const uint32_t m_step = repeat.along_k ? 0 : repeat.stride * 16, k_step = repeat.along_k ? repeat.stride * x.c0 : 0;
    const uint8_t *l1 = region_of(Space::L1).begin;
    const auto begin = static_cast<uint64_t>(src.data - l1);
    // For each run of columns that lie together in the image, where it is in L1 (-1: the border).
    const auto each_run = [&](const auto &take) {
        for (uint32_t r = 0; r < repeat.times; ++r) {
            for (uint32_t m = 0; m < m_each; ++m) {
                for (uint32_t k = 0, run; k < k_each; k += run) {
                    const uint32_t column = p.k_start + r * k_step + k;
                    run = x.together(column);
                    const int64_t from = x.offset(p.m_start + r * m_step + m, column);
                    const uint64_t at = begin + static_cast<uint64_t>(from);
                    take(repeat.along_k ? m : r * m_each + m, repeat.along_k ? r * k_each + k : k, run,
                         from < 0 ? -1 : static_cast<int64_t>(boundary ? at % boundary : at));
                }
            }
        }
    };
    int64_t first = INT64_MAX, end = 0;
    each_run([&](uint32_t, uint32_t, uint32_t run, int64_t from) {
        if (from >= 0) {
            first = std::min(first, from);
            end = std::max(end, from + int64_t{run} * x.element_bits / 8);
        }
    });
    Instr in = cube_instr(api, left ? "LoadData3D L0A" : "LoadData3D L0B", pc, Pipe::MTE1, dtype);
    in.n_access = 1;
    in.access[0] = one_run(dst.data, target.fractals() * fractal_bytes, true, dst.size_bytes);
    if (end > 0) {
        const uint64_t skipped = boundary ? 0 : static_cast<uint64_t>(first) - begin;
        const auto rest = static_cast<uint32_t>(src.size_bytes > skipped ? src.size_bytes - skipped : 1);
        in.access[in.n_access++] =
            one_run(l1 + first, static_cast<uint64_t>(end - first), false, boundary || !src.size_bytes ? 0 : rest);
    }
    issue(in);
    const auto *padding = reinterpret_cast<const uint8_t *>(&p.pad_value);
    each_run([&](uint32_t m, uint32_t k, uint32_t run, int64_t from) {
        if (from >= 0 && left && !p.transpose) {
            std::memcpy(dst.data + target.at(m, k) * x.element_bits / 8, l1 + from, run * x.element_bits / 8);
            return;
        }
        for (uint32_t i = 0; i < run; ++i) {
            if (dtype == DType::I4) {
                put_nibble(dst.data, target.at(m, k + i), nibble_at(padding, 0));
            } else {
                std::memcpy(dst.data + target.at(m, k + i) * size, from < 0 ? padding : l1 + from + i * size, size);
            }
        }
    });
}

} // namespace akgen::twin
