// Memory straight from the system: zeroed, given page by page when it is touched. Large ranges ask for large pages,
// which come in a hundredth of the time.
#pragma once
#include <cstdint>
#include <vector>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t large_page_bytes = 2u << 20;

inline uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Ask for large pages in the whole ones of a range; without them everything works the same.
void prefer_large_pages(uint8_t *begin, uint64_t bytes);

// Have all pages of a range at once, where the system can: it will all be written. Large pages, as above.
void have_pages(uint8_t *begin, uint64_t bytes);

// Zeroed memory, or null. It starts on a large page if it is as big as one.
void *zeroed_pages(uint64_t bytes);
void drop_pages(void *memory, uint64_t bytes);

// Fill a range with bytes that repeat; with 0xff where there are none.
void fill(uint8_t *begin, uint64_t bytes, const std::vector<uint8_t> &pattern);
// The same for a mapped range, on first touch: its pages are copies of a few. Throws std::runtime_error.
void fill_lazily(uint8_t *begin, uint64_t bytes, const std::vector<uint8_t> &pattern);

// Arrays of zeros of few sizes, kept for whoever comes next.
class SpareNumbers {
public:
    SpareNumbers() = default;
    SpareNumbers(const SpareNumbers &) = delete;
    ~SpareNumbers();
    uint32_t *take(uint32_t count); // null: there is no memory
    void give(uint32_t *numbers, uint32_t count);

private:
    struct Array {
        uint32_t *numbers;
        uint32_t count;
    };
    std::vector<Array> spare_;
};

} // namespace akgen::twin
#pragma GCC visibility pop
