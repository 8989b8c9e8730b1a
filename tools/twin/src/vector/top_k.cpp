// TopK: the largest or smallest of every row, sorted, with their places.
#include "composite.h"
#include "reduce.h"
#include <algorithm>
#include <cstring>
#include <vector>

#include "akgen/vector.h"

namespace akgen::twin {

void top_k(const TopK &c)
{
    const void *pc = __builtin_return_address(0);
    constexpr const char *api = apis::TopK.name;
    require_operand(api, pc, "dstValue", c.values);
    require_operand(api, pc, "dstIndex", c.indices);
    require_operand(api, pc, "src", c.src);
    if (c.k < 1 || c.k > c.n || c.n > c.inner || c.outer < 1) {
        trap("VECTOR_COUNT", api, pc, "TopK: k %d, n %d and inner %d must not decrease, and none may be 0.", c.k, c.n,
             c.inner);
    }
    if (c.inner % 32 != 0) {
        trap("VECTOR_COUNT", api, pc, "TopK: rows of %d elements (inner) are not whole runs of 32.", c.inner);
    }
    const uint32_t bytes = dtype_bytes(c.type);
    const uint64_t rows = static_cast<uint64_t>(c.outer), inner = static_cast<uint64_t>(c.inner);
    const uint64_t value_step = (static_cast<uint64_t>(c.k) * bytes + 31) / 32 * 32;
    const uint64_t index_step = (static_cast<uint64_t>(c.k) * 4 + 31) / 32 * 32;
    Instr instr = vector_instr(apis::TopK, pc, c.type, rows * inner);
    add_span(instr, c.src, rows * inner * bytes, false);
    add_span(instr, c.init_index ? c.src_indices : View{}, inner * 4, false);
    add_span(instr, c.values, rows * value_step, true);
    add_span(instr, c.indices, rows * index_step, true);
    add_span(instr, c.has_finished ? c.finished : View{}, rows, false);
    warn_of_sharing(api, pc, instr.access, instr.n_access);
    require_temporary(api, pc, c.work, inner * 8); // a record of score and index for each element of a row
    add_span(instr, c.work, inner * 8, true);
    issue(instr);
    for (uint64_t sorted = 32; sorted < inner; sorted *= 4) {
        Instr merge = vector_instr(api, apis::TopK.steps[1], pc, c.type, rows * inner);
        issue(merge);
    }
    static thread_local std::vector<uint32_t> order;
    for (uint64_t r = 0; r < rows; ++r) {
        const uint8_t *row = c.src.data + r * inner * bytes;
        const bool finished = c.has_finished && c.finished.data[r] != 0;
        order.resize(static_cast<size_t>(c.n));
        for (size_t i = 0; i < order.size(); ++i) {
            order[i] = static_cast<uint32_t>(i);
        }
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            const float x = load_real(c.type, row, a), y = load_real(c.type, row, b);
            return c.largest ? above(x, y) : above(y, x);
        });
        for (int32_t i = 0; i < c.k; ++i) {
            const uint32_t at = order[static_cast<size_t>(i)];
            int32_t index =
                c.init_index ? reinterpret_cast<const int32_t *>(c.src_indices.data)[at] : static_cast<int32_t>(at);
            index = finished ? c.n : index; // a finished row gets one index past the last
            std::memcpy(c.values.data + r * value_step + static_cast<uint64_t>(i) * bytes, row + at * bytes, bytes);
            std::memcpy(c.indices.data + r * index_step + static_cast<uint64_t>(i) * 4, &index, 4);
        }
    }
}

} // namespace akgen::twin
