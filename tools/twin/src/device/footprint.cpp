#include "footprint.h"
#include "core.h"
#include <algorithm>
#include "pages.h"

namespace akgen::twin {

namespace {
constexpr uint64_t progress_bytes = 256; // the unit of a core's progress
}

Footprint::Footprint(const std::vector<GmBuffer> &buffers, size_t cores)
    : first_(buffers.data()), passed_by_(buffers.size(), false), moved_(cores, 0)
{
    for (const GmBuffer &buffer : buffers) {
        first_line_.push_back(lines_);
        lines_ += (buffer.mapped_bytes + line_bytes - 1) / line_bytes;
    }
}

Footprint::~Footprint() { drop_pages(seen_, lines_ * sizeof(Seen)); }

Copied Footprint::enter(const GmBuffer &buffer, const Access &global, size_t core)
{
    const uint32_t number = index(buffer);
    const auto offset = static_cast<uint64_t>(global.begin - buffer.data);
    const Copied copy{first_line_[number] * line_bytes + offset,
                      global.row_stride,
                      static_cast<uint32_t>(std::min<uint64_t>(global.row_bytes, UINT32_MAX)),
                      global.rows,
                      global.write,
                      passed_by_[number]};
    if (!copy.uncached || copy.write) {
        return copy;
    }
    if (!seen_) { // lazily zeroed pages
        seen_ = static_cast<Seen *>(zeroed_pages(lines_ * sizeof(Seen)));
    }
    if (seen_) {
        Seen &seen = seen_[std::min(copy.begin / line_bytes, lines_ - 1)];
        const uint64_t bytes = uint64_t{copy.row_bytes} * copy.rows;
        const auto now = static_cast<int64_t>(moved_[core] / progress_bytes);
        const bool together = seen.cores > 0 && std::abs(now - int64_t{seen.progress}) * int64_t{progress_bytes} <=
                                                    2 * static_cast<int64_t>(bytes);
        if (seen.cores == 0) {
            seen = {static_cast<uint32_t>(now), 1, static_cast<uint16_t>(core)};
        } else if (together && seen.last != static_cast<uint16_t>(core)) {
            ++seen.cores;
            seen.last = static_cast<uint16_t>(core);
        }
        moved_[core] += bytes;
    }
    return copy;
}

uint32_t Footprint::index(const GmBuffer &buffer) const { return static_cast<uint32_t>(&buffer - first_); }

void Footprint::bypass(const GmBuffer &buffer, bool on) { passed_by_[index(buffer)] = on; }

uint32_t Footprint::crowd(const Copied &copy) const
{
    return seen_ && copy.uncached && !copy.write ? seen_[std::min(copy.begin / line_bytes, lines_ - 1)].cores : 1;
}

uint32_t Footprint::extra_lines(const Copied &copy)
{
    const uint64_t needed = (uint64_t{copy.row_bytes} + line_bytes - 1) / line_bytes;
    const auto extra = [&](uint64_t begin) {
        const uint64_t touched = (begin % line_bytes + copy.row_bytes + line_bytes - 1) / line_bytes;
        return static_cast<uint32_t>(touched > needed);
    };
    if (copy.stride % line_bytes == 0) {
        return copy.rows * extra(copy.begin);
    }
    uint32_t all = 0;
    for (uint32_t row = 0; row < copy.rows; ++row) {
        all += extra(copy.begin + static_cast<uint64_t>(copy.stride * int64_t{row}));
    }
    return all;
}

} // namespace akgen::twin
