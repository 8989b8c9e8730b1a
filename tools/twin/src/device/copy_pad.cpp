// DataCopyPad: rows of any length, each padded to 32 bytes on the chip.
#include "akgen/copy.h"
#include "core.h"
#include "of_core.h"
#include "transfer.h"
#include <cstring>

namespace akgen::twin {

namespace {
struct Filler {
    bool given = false;
    uint64_t value = 0;
};
Filler &filler_register()
{
    static thread_local OfCore<Filler> filler;
    return *filler;
}
} // namespace

void set_filler(uint64_t value) { filler_register() = {true, value}; }
uint64_t filler() { return filler_register().value; }

void pad_in(View dst, uint8_t, const uint8_t *src, const Rows &r, const Pad &pad, DType dtype)
{
    const char *api = "DataCopyPad";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (r.rows == 0 || r.row_bytes == 0) {
        return;
    }
    require_rows(api, pc, r.rows);
    require_local(api, pc, "dst", dst);
    const uint32_t left = pad.on ? pad.left * pad.element_bytes : 0;
    const uint32_t right = pad.on ? pad.right * pad.element_bytes : 0;
    if (left > block || right > block) {
        trap("COPY_PADDING", api, pc, "%s: %u and %u bytes of padding; each side takes at most 32.", api, left, right);
    }
    const uint32_t row = (left + r.row_bytes + right + block - 1) / block * block;
    issue(transfer(api, pc, Pipe::MTE2, dtype, rows_of(dst.data, row, r.rows, r.dst_stride, true, dst.size_bytes),
                   rows_of(src, r.row_bytes, r.rows, r.src_stride, false, 0)));
    for (uint32_t i = 0; i < r.rows; ++i) {
        uint8_t *to = dst.data + i * r.dst_stride;
        const uint8_t *from = src + i * r.src_stride;
        fetch(to + left, from, r.row_bytes);
        // With padding the filler is the padding value; without any, also where isPad is set, what SetPadValue gave or
        // the row's first element (vendor page "DataCopyPad(ISASI)").
        const Filler &kept = filler_register();
        const uint8_t *filler = left + right > 0 ? reinterpret_cast<const uint8_t *>(&pad.value)
                                : kept.given     ? reinterpret_cast<const uint8_t *>(&kept.value)
                                                 : from;
        const auto fill = [&](uint32_t begin, uint32_t end) {
            for (uint32_t at = begin; at + pad.element_bytes <= end; at += pad.element_bytes) {
                std::memcpy(to + at, filler, pad.element_bytes);
            }
        };
        fill(0, left);
        fill(left + r.row_bytes, row);
    }
}

void pad_out(uint8_t *dst, View src, uint8_t, const Rows &rows, DType dtype)
{
    rows_out("DataCopyPad", __builtin_return_address(0), dst, src, rows, dtype);
}

void pad_local(View dst, uint8_t, View src, uint8_t, const Rows &rows, DType dtype)
{
    rows_local("DataCopy", __builtin_return_address(0), dst, src, rows, dtype,
               (rows.row_bytes + block - 1) / block * block);
}

} // namespace akgen::twin
