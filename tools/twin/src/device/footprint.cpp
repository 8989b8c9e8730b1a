#include "footprint.h"
#include "core.h"
#include <algorithm>
#include "pages.h"

namespace akgen::twin {

namespace {
constexpr uint64_t clock_bytes = 4096; // the unit of time
constexpr uint32_t time_mask = 0x00ffffff;
} // namespace

Footprint::Footprint(const std::vector<GmBuffer> &buffers, size_t cores, double cache_bytes)
    : lines_(buffers.size()), first_(buffers.data()), moved_(cores, 0), cache_bytes_(cache_bytes)
{
    for (size_t i = 0; i < buffers.size(); ++i) {
        lines_[i].count = (buffers[i].mapped_bytes + line_bytes - 1) / line_bytes;
    }
}

Footprint::~Footprint()
{
    for (const Lines &lines : lines_) {
        drop_pages(lines.last, lines.count * sizeof(uint32_t));
    }
}

uint32_t Footprint::touch(const GmBuffer &buffer, const Access &global, size_t core)
{
    Lines &lines = lines_[index(buffer)];
    if (!lines.last) { // lazily zeroed pages
        lines.last = static_cast<uint32_t *>(zeroed_pages(lines.count * sizeof(uint32_t)));
        if (!lines.last) {
            return 0;
        }
    }
    const uint64_t reach = static_cast<uint64_t>(cache_bytes_) / clock_bytes;
    const auto now = static_cast<uint32_t>(std::min<uint64_t>(moved_[core] * moved_.size() / clock_bytes, time_mask));
    const auto stamp = static_cast<uint32_t>(core % 255 + 1) << 24 | now;
    const uint64_t needed = (global.row_bytes + line_bytes - 1) / line_bytes;
    uint32_t extra = 0;
    for (uint32_t row = 0; row < global.rows; ++row) {
        const auto begin =
            static_cast<uint64_t>(global.begin + static_cast<int64_t>(row) * global.row_stride - buffer.data);
        const uint64_t first = begin / line_bytes;
        const uint64_t last = std::min((begin + global.row_bytes - 1) / line_bytes, lines.count - 1);
        uint64_t missed = 0;
        for (uint64_t line = first; line <= last; ++line) {
            uint32_t &before = lines.last[line];
            const bool own = before >> 24 == stamp >> 24;
            lines.distinct += before == 0;
            missed += !global.write && (before == 0 || (own && now - (before & time_mask) > reach) || lines.passed_by);
            before = stamp;
        }
        const uint64_t touched = last >= first ? last - first + 1 : 0;
        const uint64_t beyond = touched > needed;
        extra += static_cast<uint32_t>(beyond);
        (global.write ? lines.written : lines.read) += global.row_bytes + beyond * line_bytes;
        lines.missed += missed ? std::min(missed + beyond, touched) * line_bytes : 0;
    }
    moved_[core] += global.row_bytes * global.rows;
    return extra;
}

uint32_t Footprint::index(const GmBuffer &buffer) const { return static_cast<uint32_t>(&buffer - first_); }

void Footprint::bypass(const GmBuffer &buffer, bool on) { lines_[index(buffer)].passed_by = on; }

double Footprint::missed_share(uint32_t buffer) const
{
    const Lines &lines = lines_[buffer];
    return lines.read ? static_cast<double>(lines.missed) / static_cast<double>(lines.read) : 0.0;
}

bool Footprint::full() const
{
    uint64_t kept = 0;
    for (const Lines &lines : lines_) {
        kept += lines.passed_by ? 0 : lines.distinct;
    }
    return static_cast<double>(kept * line_bytes) > cache_bytes_;
}

double Footprint::spilled_share(uint32_t buffer) const { return lines_[buffer].passed_by || full() ? 1.0 : 0.0; }

double Footprint::memory_bytes() const
{
    const bool spills = full();
    uint64_t moved = 0;
    for (const Lines &lines : lines_) {
        moved += lines.missed + (lines.passed_by || spills ? lines.written : 0);
    }
    return static_cast<double>(moved);
}

} // namespace akgen::twin
