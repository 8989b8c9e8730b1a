#include "global_race_detector.h"
#include "core.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

namespace {
constexpr uint32_t block = 32;
constexpr uint64_t line = 64;
constexpr uint32_t atomic_bit = 0x00800000; // of a stamp
constexpr uint32_t epoch_mask = 0x007fffff;
// Larger tensors are not watched: their shadows would cost too much memory.
constexpr uint64_t most_written_bytes = 512u << 20;
constexpr uint64_t most_read_bytes = 64u << 20;

template <typename T> T *zeroed(uint64_t count) { return static_cast<T *>(zeroed_pages(count * sizeof(T))); }

// The bytes of block `at` that [begin, end) covers.
uint32_t covered(uint64_t at, uint64_t begin, uint64_t end)
{
    const uint64_t from = std::max(begin, at * block) - at * block;
    const uint64_t to = std::min(end, (at + 1) * block) - at * block;
    const uint32_t upto = to == block ? ~0u : (1u << to) - 1;
    return upto & ~((1u << from) - 1);
}

bool writes_what_is_there(const Access &global, const Access *other)
{
    if (!other || other->rows != global.rows || other->row_bytes < global.row_bytes) {
        return false;
    }
    for (uint32_t row = 0; row < global.rows; ++row) {
        if (std::memcmp(global.begin + row * global.row_stride, other->begin + row * other->row_stride,
                        global.row_bytes) != 0) {
            return false;
        }
    }
    return true;
}
} // namespace

GlobalRaceDetector::GlobalRaceDetector(const std::vector<GmBuffer> &buffers, size_t cores)
    : shadows_(buffers.size()), first_(buffers.data()), epoch_(cores, 1),
      clocks_(cores, std::vector<uint32_t>(cores, 0)), dirty_(cores)
{
}

GlobalRaceDetector::~GlobalRaceDetector()
{
    for (const ShadowMemory &shadow : shadows_) {
        drop_pages(shadow.writers, shadow.blocks * sizeof(Writer));
        drop_pages(shadow.readers, shadow.blocks * sizeof(Touch));
    }
}

void GlobalRaceDetector::release(const Core &core, uint64_t where)
{
    std::vector<uint32_t> &there = released_[where];
    there.resize(epoch_.size(), 0);
    std::vector<uint32_t> &mine = clocks_[core.index];
    mine[core.index] = epoch_[core.index];
    for (size_t i = 0; i < there.size(); ++i) {
        there[i] = std::max(there[i], mine[i]);
    }
    ++epoch_[core.index];
}

void GlobalRaceDetector::acquire(const Core &core, uint64_t where)
{
    const auto there = released_.find(where);
    if (there == released_.end()) {
        return;
    }
    std::vector<uint32_t> &mine = clocks_[core.index];
    for (size_t i = 0; i < mine.size(); ++i) {
        mine[i] = std::max(mine[i], there->second[i]);
    }
}

bool GlobalRaceDetector::happens_before(uint32_t stamp) const
{
    const uint32_t core = (stamp >> 24) - 1;
    return stamp == 0 || core == self->index || clocks_[self->index][core] >= (stamp & epoch_mask);
}

uint32_t GlobalRaceDetector::own_stamp() const { return (self->index + 1) << 24 | (epoch_[self->index] & epoch_mask); }

GlobalRaceDetector::ShadowMemory *GlobalRaceDetector::shadow_of(const GmBuffer &buffer)
{
    ShadowMemory &shadow = shadows_[static_cast<size_t>(&buffer - first_)];
    if (!shadow.writers) {
        if (buffer.size_bytes > most_written_bytes || epoch_.size() > 254) {
            return nullptr;
        }
        shadow.blocks = buffer.mapped_bytes / block;
        shadow.writers = zeroed<Writer>(shadow.blocks);
        if (buffer.size_bytes <= most_read_bytes && epoch_.size() > 1) {
            shadow.readers = zeroed<Touch>(shadow.blocks);
        }
    }
    return shadow.writers ? &shadow : nullptr;
}

GlobalRaceDetector::Race GlobalRaceDetector::read(ShadowMemory &shadow, uint64_t begin, uint64_t end, Pipe pipe)
{
    Race race;
    const uint32_t mine = own_stamp();
    const bool by_scalar = pipe == Pipe::S;
    const uint64_t last = std::min((end + block - 1) / block, shadow.blocks);
    for (uint64_t at = begin / block; at < last; ++at) {
        const Writer &writer = shadow.writers[at];
        if (writer.touch.stamp && !race.what && (writer.touch.bytes & covered(at, begin, end))) {
            const uint32_t core = (writer.touch.stamp >> 24) - 1;
            const bool unseen = core == self->index && writer.number && !(by_scalar && launch->auto_sync) &&
                                !self->detector.happens_before(pipe, Pipe::MTE3, writer.number);
            if (unseen || !happens_before(writer.touch.stamp)) {
                race = {unseen ? "reads back" : "reads", core, std::max(begin, at * block)};
            }
        }
        if (shadow.readers) {
            Touch &reader = shadow.readers[at];
            const uint32_t bytes = covered(at, begin, end);
            reader.bytes = reader.stamp == mine ? reader.bytes | bytes : bytes;
            reader.stamp = mine;
        }
    }
    return race;
}

GlobalRaceDetector::Race GlobalRaceDetector::write(ShadowMemory &shadow, uint64_t begin, uint64_t end, uint32_t number,
                                                   bool atomic)
{
    Race race;
    const uint32_t mine = own_stamp() | (atomic ? atomic_bit : 0);
    const uint64_t last = std::min((end + block - 1) / block, shadow.blocks);
    for (uint64_t at = begin / block; at < last; ++at) {
        Writer &writer = shadow.writers[at];
        const uint32_t bytes = covered(at, begin, end);
        const uint32_t before = writer.touch.stamp;
        if (before && !race.what && (writer.touch.bytes & bytes) && !(atomic && (before & atomic_bit)) &&
            !happens_before(before)) {
            race = {"overwrites what was written by", (before >> 24) - 1, std::max(begin, at * block)};
        }
        if (shadow.readers && !race.what) {
            const Touch &reader = shadow.readers[at];
            if (reader.stamp && (reader.bytes & bytes) && !happens_before(reader.stamp)) {
                race = {"overwrites what is read by", (reader.stamp >> 24) - 1, std::max(begin, at * block)};
            }
        }
        const bool same = (before & ~atomic_bit) == (mine & ~atomic_bit);
        writer.touch.bytes = same ? writer.touch.bytes | bytes : bytes;
        writer.touch.stamp = same ? before & mine : mine; // what this core has set and added to is not only added to
        writer.number = number;
    }
    return race;
}

void GlobalRaceDetector::tell(const Race &race, const char *api, const void *pc, const GmBuffer &buffer) const
{
    if (!race.what) {
        return;
    }
    const auto at = static_cast<unsigned long long>(race.byte);
    if (race.core == self->index) {
        complain("GM_RACE", api, pc,
                 "%s reads back byte %llu of '%s' while the copy that writes it may still be under way.", api, at,
                 buffer.name.c_str());
        return;
    }
    const bool to_core = race.what[0] == 'o';
    complain("GM_RACE", api, pc, "%s %s %s%s (byte %llu of '%s'), and nothing orders the two cores.", api, race.what,
             to_core ? "" : "what was written by ", launch->cores[race.core]->name.c_str(), at, buffer.name.c_str());
}

bool GlobalRaceDetector::stale(const ShadowMemory &shadow, const GmBuffer &buffer, uint64_t begin, uint64_t end,
                               bool own, uint32_t &core) const
{
    if (dirty_lines_ == 0) {
        return false;
    }
    const auto base = reinterpret_cast<uint64_t>(buffer.data); // at the start of a page
    for (uint32_t i = 0; i < dirty_.size(); ++i) {
        if (i == self->index && !own) {
            continue;
        }
        for (auto it = dirty_[i].lower_bound((base + begin) / line); it != dirty_[i].end() && *it * line < base + end;
             ++it) {
            const uint64_t first = (*it * line - base) / block;
            for (uint64_t at = std::max(first, begin / block); at < first + line / block && at * block < end; ++at) {
                const Touch &touch = shadow.writers[at].touch;
                if (touch.stamp >> 24 == i + 1 && (touch.bytes & covered(at, begin, end))) {
                    core = i;
                    return true;
                }
            }
        }
    }
    return false;
}

void GlobalRaceDetector::copy(const Instr &in, const Access &global, const Access *other, const GmBuffer &buffer)
{
    ShadowMemory *shadow = shadow_of(buffer);
    if (!shadow) {
        return;
    }
    const bool atomic = global.write && self->atomic != Atomic::none;
    Race race;
    for (uint32_t row = 0; row < global.rows; ++row) {
        const uint8_t *begin = global.begin + static_cast<int64_t>(row) * global.row_stride;
        const uint64_t offset = static_cast<uint64_t>(begin - buffer.data);
        const uint64_t end = offset + global.row_bytes;
        const Race found =
            global.write ? write(*shadow, offset, end, in.pipe == Pipe::MTE3 ? self->detector.number() : 0, atomic)
                         : read(*shadow, offset, end, in.pipe);
        race = race.what ? race : found;
        uint32_t core = 0;
        if (!global.write && stale(*shadow, buffer, offset, end, true, core)) {
            complain("CACHE_CLEAN", in.api, in.pc,
                     "%s reads byte %llu of '%s', which core %s wrote with SetValue; the value may still lie in its "
                     "data cache.",
                     in.api, static_cast<unsigned long long>(offset), buffer.name.c_str(),
                     launch->cores[core]->name.c_str());
            return;
        }
    }
    if (race.what && !(global.write && !atomic && (!other || writes_what_is_there(global, other)))) {
        tell(race, in.api, in.pc, buffer);
    }
}

void GlobalRaceDetector::scalar(const uint8_t *address, uint32_t bytes, bool write, const GmBuffer &buffer,
                                const void *pc)
{
    ShadowMemory *shadow = shadow_of(buffer);
    if (!shadow) {
        return;
    }
    const uint64_t offset = static_cast<uint64_t>(address - buffer.data);
    if (write) {
        // Whether the value is a new one is not known yet, so that overwriting is no race.
        this->write(*shadow, offset, offset + bytes, 0, false);
        dirty_lines_ += dirty_[self->index].insert(reinterpret_cast<uint64_t>(address) / line).second;
        return;
    }
    const char *api = "GlobalTensor::GetValue";
    const Race race = read(*shadow, offset, offset + bytes, Pipe::S);
    uint32_t core = 0;
    if (race.what) {
        tell(race, api, pc, buffer);
    } else if (stale(*shadow, buffer, offset, offset + bytes, false, core)) {
        complain(
            "CACHE_CLEAN", api, pc,
            "%s reads byte %llu of '%s', which core %s wrote with SetValue; the value may still lie in its data cache.",
            api, static_cast<unsigned long long>(offset), buffer.name.c_str(), launch->cores[core]->name.c_str());
    }
}

void GlobalRaceDetector::clean(const Core &core, const uint8_t *address, bool whole)
{
    std::set<uint64_t> &lines = dirty_[core.index];
    if (whole) {
        dirty_lines_ -= lines.size();
        lines.clear();
        return;
    }
    dirty_lines_ -= lines.erase(reinterpret_cast<uint64_t>(address) / line);
}

} // namespace akgen::twin
