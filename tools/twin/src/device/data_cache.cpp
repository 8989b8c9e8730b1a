#include "data_cache.h"
#include "chip.h"
#include <algorithm>

namespace akgen::twin {

void DataCache::shape(const Chip &chip)
{
    line_bytes_ = static_cast<uint64_t>(chip.at("scalar_cache_line_bytes"));
    ways_ = static_cast<uint64_t>(chip.at("scalar_cache_ways"));
    sets_ = static_cast<uint64_t>(chip.at("scalar_cache_bytes")) / line_bytes_ / ways_;
    forget_all();
}

bool DataCache::has(uint64_t address)
{
    const uint64_t line = address / line_bytes_;
    if (line == last_) {
        return true;
    }
    last_ = line;
    if (lines_.empty()) {
        lines_.assign(sets_ * ways_, nothing);
    }
    uint64_t *const first = set_of(line), *const end = first + ways_;
    uint64_t *const found = std::find(first, end, line);
    const bool hit = found != end;
    std::move_backward(first, hit ? found : end - 1, hit ? found + 1 : end);
    *first = line;
    return hit;
}

void DataCache::forget(uint64_t address)
{
    if (lines_.empty()) {
        return;
    }
    const uint64_t line = address / line_bytes_;
    uint64_t *const first = set_of(line);
    std::replace(first, first + ways_, line, nothing);
    last_ = line == last_ ? nothing : last_;
}

void DataCache::forget_all()
{
    lines_.clear();
    last_ = nothing;
}

} // namespace akgen::twin
