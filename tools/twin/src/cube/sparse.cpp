// Fractals of B with two of every four values along k, and the indices that lie beside L0B: a table for each fractal, two
// bits for each value, the first in the lowest bits. Source: pages LoadDataWithSparse and MmadWithSparse.
#include "sparse.h"
#include "akgen/cube.h"
#include "device/of_core.h"
#include "operand.h"
#include "sums.h"
#include <cstring>
#include <vector>

namespace akgen::twin {

namespace {
constexpr uint32_t table_bytes = fractal_bytes / 4;

std::vector<uint8_t> &tables() // of this core
{
    static thread_local OfCore<std::vector<uint8_t>> bytes;
    bytes->resize(size_of(Space::L0B) / 4);
    return *bytes;
}

uint32_t index_of(const uint8_t *table, uint32_t element) { return table[element / 4] >> element % 4 * 2 & 3; }
} // namespace

void load_sparse(View dst, View src, View indices, uint32_t start, uint32_t repeats)
{
    const char *api = "LoadDataWithSparse";
    const void *pc = __builtin_return_address(0);
    self->last_pc = pc;
    if (repeats == 0) {
        return;
    }
    require_space(api, pc, "dst", dst, Space::L0B);
    require_space(api, pc, "src", src, Space::L1);
    require_space(api, pc, "idx", indices, Space::L1);
    const auto skipped = [start](View v, uint32_t unit) {
        const uint64_t offset = uint64_t{start} * unit;
        return View{v.data + offset, v.size_bytes > offset ? static_cast<uint32_t>(v.size_bytes - offset)
                                     : v.size_bytes        ? 1
                                                           : 0};
    };
    const View from = skipped(src, fractal_bytes), tables_from = skipped(indices, table_bytes);
    const uint64_t bytes = uint64_t{repeats} * fractal_bytes, index_bytes = uint64_t{repeats} * table_bytes;
    Instr in = cube_instr(api, "LoadData L0B", pc, Pipe::MTE1, DType::I8);
    in.n_access = 3;
    in.access[0] = one_run(dst.data, bytes, true, dst.size_bytes);
    in.access[1] = one_run(from.data, bytes, false, from.size_bytes);
    in.access[2] = one_run(tables_from.data, index_bytes, false, tables_from.size_bytes);
    issue(in);
    std::memcpy(dst.data, from.data, bytes);
    const auto at = static_cast<uint64_t>(dst.data - region_of(Space::L0B).begin) / 4;
    std::memcpy(tables().data() + at, tables_from.data, index_bytes);
}

void unpack_sparse(const uint8_t *b, uint32_t block, uint32_t blocks, uint32_t k, int32_t *out, const void *pc)
{
    constexpr uint32_t deep = c0_bytes; // values along k in a fractal
    std::memset(out, 0, uint64_t{k} * lanes * sizeof *out);
    const uint8_t *begin = region_of(Space::L0B).begin;
    for (uint32_t pair = 0; pair * 4 < k; ++pair) {
        const uint32_t row = pair * 2;
        const uint8_t *fractal = b + (uint64_t{row / deep} * blocks + block) * fractal_bytes;
        const uint8_t *table = tables().data() + (fractal - begin) / 4;
        for (uint32_t n = 0; n < lanes; ++n) {
            const uint32_t element = n * deep + row % deep;
            const uint32_t first = index_of(table, element), second = index_of(table, element + 1);
            if (first == 3 || second == 3) {
                trap("CUBE_RANGE", "MmadWithSparse", pc,
                     "MmadWithSparse: the index of row %u, column %u of B is 3; an index is 0, 1 or 2.", row,
                     block * lanes + n);
            }
            const auto value = [&](uint32_t which) {
                return static_cast<int32_t>(static_cast<int8_t>(fractal[element + which]));
            };
            // 2 and 0: a single value, which stands twice.
            const uint32_t places[2] = {pair * 4 + first, pair * 4 + (first == 2 && second == 0 ? 2 : 1 + second)};
            for (uint32_t which = 0; which < 2; ++which) {
                if (places[which] < k) {
                    out[uint64_t{places[which]} * lanes + n] += value(which);
                }
            }
        }
    }
}

} // namespace akgen::twin
