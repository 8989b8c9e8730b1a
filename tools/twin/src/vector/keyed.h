// Tables with one row for each enumerator of an enumeration that ends in COUNT.
#pragma once
#include <cstddef>

namespace akgen::twin {

// True if every enumerator has exactly one row, in order: `static_assert(one_row_each<Op>(kRows))`. A row names its
// enumerator as `op`.
template <typename Op, typename Row, size_t n> constexpr bool one_row_each(const Row (&rows)[n])
{
    for (size_t i = 0; i < n; ++i) {
        if (rows[i].op != static_cast<Op>(i)) {
            return false;
        }
    }
    return n == static_cast<size_t>(Op::COUNT);
}

} // namespace akgen::twin
