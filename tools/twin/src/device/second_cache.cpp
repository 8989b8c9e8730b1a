#include "second_cache.h"
#include "pages.h"
#include <algorithm>

namespace akgen::twin {

namespace {
constexpr double line = Footprint::line_bytes;
constexpr uint64_t most_at_once = 1 << 20; // bytes
} // namespace

SecondCache::SecondCache(uint64_t lines, double bytes, double part)
    : part_(part), lines_(lines), size_(std::max<uint64_t>(1, static_cast<uint64_t>(bytes / line)))
{
    stamps_ = static_cast<uint32_t *>(zeroed_pages(lines_ * sizeof(uint32_t)));
    order_ = static_cast<uint32_t *>(zeroed_pages(size_ * sizeof(uint32_t)));
    // Most launches touch most of their tensors: pages that come at once cost less than one by one.
    for (uint32_t *numbers : {stamps_, order_}) {
        if (const uint64_t bytes = std::min(lines_, size_) * sizeof(uint32_t); numbers && bytes <= most_at_once) {
            have_pages(reinterpret_cast<uint8_t *>(numbers), bytes);
        }
    }
}

SecondCache::~SecondCache()
{
    drop_pages(stamps_, lines_ * sizeof(uint32_t));
    drop_pages(order_, size_ * sizeof(uint32_t));
}

double SecondCache::insert(uint64_t number)
{
    double back = 0;
    uint32_t &slot = order_[clock_ % size_];
    if (clock_ >= size_) { // who came here leaves, unless it left and came again
        uint32_t &old = stamps_[slot];
        if ((old & time_mask) == ((clock_ - size_ + 1) & time_mask)) {
            back = old & dirty ? line : 0;
            old = 0;
        }
    }
    slot = static_cast<uint32_t>(number);
    stamps_[number] = static_cast<uint32_t>(++clock_) & time_mask;
    return back;
}

SecondCache::Passed SecondCache::pass(const Copied &copy)
{
    Passed passed;
    if (!stamps_ || !order_ || copy.row_bytes == 0) {
        return passed;
    }
    if (copy.uncached) {
        const double bytes = double(copy.row_bytes) * copy.rows + line * Footprint::extra_lines(copy);
        return {copy.write ? 0 : bytes, copy.write ? bytes : 0};
    }
    const uint64_t needed = (copy.row_bytes + Footprint::line_bytes - 1) / Footprint::line_bytes;
    for (uint32_t row = 0; row < copy.rows; ++row) {
        const uint64_t begin = copy.begin + static_cast<uint64_t>(copy.stride * int64_t{row});
        const uint64_t end = begin + copy.row_bytes;
        const uint64_t first = begin / Footprint::line_bytes;
        const uint64_t last = std::min((end - 1) / Footprint::line_bytes, lines_ - 1);
        uint32_t missed = 0;
        for (uint64_t number = first; number <= last; ++number) {
            uint32_t &stamp = stamps_[number];
            if (stamp == 0) {
                passed.written_back += insert(number);
            }
            const uint64_t from = number == first ? begin % Footprint::line_bytes / sector_bytes : 0;
            const uint64_t to = number == last ? (end - 1) % Footprint::line_bytes / sector_bytes : 3;
            const uint32_t sectors = ((2u << to) - (1u << from)) << time_bits;
            missed += static_cast<uint32_t>(__builtin_popcount(sectors & ~stamp));
            stamp |= sectors | (copy.write ? dirty : 0);
        }
        if (missed > 0 && !copy.write) {
            const double times = copy.row_bytes < Footprint::line_bytes ? part_ : 1;
            passed.missed += missed * double{sector_bytes} * times + (last - first + 1 > needed ? line : 0);
        }
    }
    return passed;
}

} // namespace akgen::twin
