// Tables with one row for each enumerator of an enumeration. A row names its enumerator as `key`.
#pragma once
#include <cstddef>

namespace akgen::twin {

// True if each enumerator up to `last` has exactly one row, in order, so that the enumerator is the row's index.
template <typename Key, typename Row, size_t n> constexpr bool one_row_each(const Row (&rows)[n], Key last)
{
    for (size_t i = 0; i < n; ++i) {
        if (rows[i].key != static_cast<Key>(i)) {
            return false;
        }
    }
    return n == static_cast<size_t>(last) + 1;
}
// Of an enumeration that ends in COUNT: `static_assert(one_row_each<Op>(op_rows))`.
template <typename Key, typename Row, size_t n> constexpr bool one_row_each(const Row (&rows)[n])
{
    return one_row_each(rows, static_cast<Key>(static_cast<size_t>(Key::COUNT) - 1));
}

// The row of an enumerator. A kernel's own code can hand over any number for one: that ends it.
template <typename Key, typename Row, size_t n> constexpr const Row &row_of(const Row (&rows)[n], Key key)
{
    const auto index = static_cast<size_t>(key);
    if (index >= n) {
        __builtin_trap();
    }
    return rows[index];
}

} // namespace akgen::twin
