// Whether a stored matrix lies in memory that the product may touch.
#include "matmul_parts.h"
#include "operand.h"

namespace akgen::twin {

namespace {
uint64_t rows_stored(const Stored &s, uint32_t rows, uint32_t columns) { return s.transposed ? columns : rows; }
uint64_t columns_stored(const Stored &s, uint32_t rows, uint32_t columns) { return s.transposed ? rows : columns; }

// An operand in L1 stays where it is.
void check_in_l1(const Stored &s, const Region &region, uint64_t bytes, const char *api, const void *pc)
{
    const auto offset = static_cast<uint64_t>(s.data - region.begin);
    if (offset + bytes > region.size_bytes || (s.limit_bytes && bytes > s.limit_bytes)) {
        trap("TENSOR_RANGE", api, pc,
             "%s: a matrix of %llu bytes is read from byte %llu of L1, where its buffer has %u bytes.", api,
             static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
             s.limit_bytes ? s.limit_bytes : static_cast<uint32_t>(region.size_bytes - offset));
    }
    constexpr int l1 = static_cast<int>(Space::L1) - static_cast<int>(Space::UB);
    if (self->detector.unwritten(l1, static_cast<uint32_t>(offset), 1) >= 0) {
        warn("UNWRITTEN_DATA", api, pc, "%s: byte %llu of L1 is read, and nothing has written it.", api,
             static_cast<unsigned long long>(offset));
    }
}
} // namespace

void check_stored(const Stored &s, uint32_t rows, uint32_t columns, bool write, uint32_t c0, const char *api,
                  const void *pc)
{
    const uint64_t high = rows_stored(s, rows, columns), wide = columns_stored(s, rows, columns);
    const Place place = place_of(s.data);
    if (place.region) {
        const uint64_t bytes = bytes_of(offset_of(s, high - 1, wide - 1, c0) + 1, s.type);
        if (place.space == Space::L1 && !write) {
            open_tscm(api, pc);
            return check_in_l1(s, *place.region, bytes, api, pc);
        }
        Instr in = cube_instr(api, "DataCopy", pc, write ? Pipe::MTE2 : Pipe::MTE3, s.type);
        in.n_access = 1;
        in.access[0] = one_run(s.data, bytes, write, s.limit_bytes);
        return issue(in);
    }
    if (s.fractal) {
        require_global(api, pc, s.data, bytes_of(offset_of(s, high - 1, wide - 1, c0) + 1, s.type), write);
        return;
    }
    require_global(api, pc, s.data + byte_of(offset_of(s, 0, 0, c0), s.type), bytes_of(wide, s.type), write);
    require_global(api, pc, s.data + byte_of(offset_of(s, high - 1, 0, c0), s.type), bytes_of(wide, s.type), write);
}

} // namespace akgen::twin
