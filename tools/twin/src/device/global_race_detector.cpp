#include "global_race_detector.h"
#include "core.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

namespace {
constexpr uint64_t cache_line_bytes = 64;
constexpr uint32_t all_bytes = ~0u; // of a block
// Larger tensors are not watched: their shadows might cost too much memory.
constexpr uint64_t most_bytes = 512u << 20;
constexpr uint64_t line_key = ~uint64_t{0};  // beside those of core.h and sync.cpp
constexpr size_t most_lines = 4096;          // in which releases are kept, and that a core looks at
constexpr uint64_t most_variables = 1 << 20; // bytes that are kept for each core

// Bits of a stamp for the core: 8, or as many as there are cores for. Epochs that do not fit into the rest hide races.
uint32_t shift_for(std::size_t cores)
{
    uint32_t bits = 8;
    while (cores >= (std::size_t{1} << bits) - 1 && bits < 17) {
        ++bits;
    }
    return 32 - bits;
}

// The bytes of block `at` that [begin, end) covers.
uint32_t covered(uint64_t at, uint64_t begin, uint64_t end)
{
    const uint64_t from = std::max(begin, at * shadow_block) - at * shadow_block;
    const uint64_t to = std::min(end, (at + 1) * shadow_block) - at * shadow_block;
    const uint32_t upto = to == shadow_block ? ~0u : (1u << to) - 1;
    return upto & ~((1u << from) - 1);
}
} // namespace

GlobalRaceDetector::GlobalRaceDetector(const std::vector<GmBuffer> &buffers, size_t cores)
    : shadows_(buffers.size()), first_(buffers.data()), core_shift_(shift_for(cores)), epoch_(cores, 1), clocks_(cores),
      dirty_(cores), watched_(cores), own_variables_(cores)
{
}

void GlobalRaceDetector::release(const Core &core, const Where *where, size_t count, uint32_t through)
{
    const std::vector<Known> &mine = clocks_[core.index];
    const Known own{epoch_[core.index], through};
    for (size_t w = 0; w < count; ++w) {
        std::vector<Known> &there = released_[where[w]];
        there.resize(epoch_.size());
        for (size_t i = 0; i < mine.size(); ++i) {
            there[i] = std::max(there[i], mine[i]);
        }
        there[core.index] = std::max(there[core.index], own);
    }
    ++epoch_[core.index];
}

void GlobalRaceDetector::take(const Core &core, Where where)
{
    acquire(core, where);
    released_.erase(where);
}

void GlobalRaceDetector::acquire(const Core &core, Where where)
{
    const auto there = released_.find(where);
    if (there == released_.end()) {
        return;
    }
    std::vector<Known> &mine = clocks_[core.index];
    mine.resize(epoch_.size());
    for (size_t i = 0; i < mine.size(); ++i) {
        mine[i] = std::max(mine[i], there->second[i]);
    }
}

bool GlobalRaceDetector::happens_before(uint32_t stamp, uint32_t number) const
{
    const uint32_t core = core_of(stamp);
    if (stamp == 0 || core == self->index) {
        return true;
    }
    const std::vector<Known> &mine = clocks_[self->index];
    const Known known = mine.empty() ? Known() : mine[core];
    return known.epoch >= (stamp & epoch_mask()) && (number & ~by_fix) <= known.through;
}

uint32_t GlobalRaceDetector::own_stamp() const
{
    return (self->index + 1) << core_shift_ | (epoch_[self->index] & epoch_mask());
}

GlobalRaceDetector::ShadowMemory *GlobalRaceDetector::shadow_of(const GmBuffer &buffer)
{
    ShadowMemory &shadow = shadows_[static_cast<size_t>(&buffer - first_)];
    if (!shadow.writers) {
        if (buffer.size_bytes > most_bytes || epoch_.size() > 65535) {
            return nullptr;
        }
        shadow.writers = Shadow<LastWriter>(buffer.mapped_bytes);
        if (epoch_.size() > 1) {
            shadow.readers = Shadow<Touch>(buffer.mapped_bytes);
        }
    }
    return shadow.writers ? &shadow : nullptr;
}

GlobalRaceDetector::Race GlobalRaceDetector::read(ShadowMemory &shadow, uint64_t begin, uint64_t end, Pipe pipe)
{
    Race race;
    const uint32_t mine = own_stamp();
    const bool by_scalar = pipe == Pipe::S;
    const auto check = [&](const LastWriter &writer, uint32_t bytes, uint64_t byte) {
        if (writer.touch.stamp && !race.what && (writer.touch.bytes & bytes)) {
            const uint32_t core = core_of(writer.touch.stamp);
            const bool unseen = core == self->index && writer.number && !(writer.number & by_fix) &&
                                !(by_scalar && launch->auto_sync) &&
                                !self->detector.happens_before(pipe, Pipe::MTE3, writer.number);
            if (unseen || !happens_before(writer.touch.stamp, writer.number)) {
                race = {unseen ? "reads back" : "reads", core, std::max(begin, byte),
                        happens_before(writer.touch.stamp)};
            }
        }
    };
    by_group(begin, end, shadow.writers.groups(), [&](const ShadowPart &part) {
        const LastWriter *const writer = shadow.writers.common(part.group);
        if (writer && (part.whole || !writer->touch.stamp)) {
            check(*writer, all_bytes, part.first * shadow_block);
        } else {
            for (uint64_t at = part.first; at < part.last; ++at) {
                check(shadow.writers.of(at), covered(at, begin, end), at * shadow_block);
            }
        }
        if (!shadow.readers) {
            return;
        }
        if (part.whole) {
            shadow.readers.set(part.group, {mine, all_bytes});
            return;
        }
        const Touch *const common = shadow.readers.common(part.group);
        if (common && common->stamp == mine && common->bytes == all_bytes) {
            return;
        }
        for (uint64_t at = part.first; at < part.last; ++at) {
            Touch &reader = shadow.readers.alone(at);
            const uint32_t bytes = covered(at, begin, end);
            reader = {mine, reader.stamp == mine ? reader.bytes | bytes : bytes};
        }
    });
    return race;
}

GlobalRaceDetector::Race GlobalRaceDetector::write(ShadowMemory &shadow, uint64_t begin, uint64_t end, uint32_t number,
                                                   bool atomic, Change change)
{
    Race race;
    const uint32_t mine = own_stamp() | (atomic ? atomic_bit() : 0);
    uint64_t blocks = 1; // that are looked at together
    // Of those bytes of the blocks from `byte` on, whether the write changes any.
    const auto changes = [&](uint32_t bytes, uint64_t byte) {
        const uint64_t to = std::min(end, byte + blocks * shadow_block);
        for (uint64_t at = std::max(begin, byte); change.new_bytes && at < to; ++at) {
            if (bytes >> at % shadow_block & 1 && change.old_bytes[at - begin] != change.new_bytes[at - begin]) {
                return true;
            }
        }
        return change.new_bytes == nullptr;
    };
    const auto check = [&](const Touch &before, uint32_t by, uint32_t bytes, uint64_t byte, const char *what) {
        if (before.stamp && !race.what && (before.bytes & bytes) && !happens_before(before.stamp, by) &&
            changes(before.bytes & bytes, byte)) {
            race = {what, core_of(before.stamp), std::max(begin, byte), happens_before(before.stamp)};
        }
    };
    const auto check_writer = [&](const LastWriter &before, uint32_t bytes, uint64_t byte) {
        if (!(atomic && (before.touch.stamp & atomic_bit()))) {
            check(before.touch, before.number, bytes, byte, "overwrites what was written by");
        }
    };
    const auto enter = [&](LastWriter &writer, uint32_t bytes) {
        const uint32_t before = writer.touch.stamp;
        const bool same = (before & ~atomic_bit()) == (mine & ~atomic_bit());
        // What this core has set and added to is not only added to.
        writer = {{same ? before & mine : mine, same ? writer.touch.bytes | bytes : bytes}, number};
    };
    by_group(begin, end, shadow.writers.groups(), [&](const ShadowPart &part) {
        LastWriter *const writer = shadow.writers.shared(part.group);
        const Touch *const reader = shadow.readers ? shadow.readers.common(part.group) : nullptr;
        const bool at_once = part.whole && writer && (reader || !shadow.readers);
        blocks = at_once ? part.last - part.first : 1;
        for (uint64_t at = part.first; at < (at_once ? part.first + 1 : part.last); ++at) {
            const uint32_t bytes = at_once ? all_bytes : covered(at, begin, end);
            check_writer(shadow.writers.of(at), bytes, at * shadow_block);
            if (shadow.readers) {
                check(shadow.readers.of(at), 0, bytes, at * shadow_block, "overwrites what is read by");
            }
        }
        if (part.whole && writer) {
            enter(*writer, all_bytes);
        } else if (part.whole && !atomic) {
            shadow.writers.set(part.group, {{mine, all_bytes}, number});
        } else {
            for (uint64_t at = part.first; at < part.last; ++at) {
                enter(shadow.writers.alone(at), covered(at, begin, end));
            }
        }
    });
    return race;
}

void GlobalRaceDetector::tell(const Race &race, const char *api, const void *pc, const GmBuffer &buffer,
                              bool harmless) const
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
    const auto say = harmless ? warn : complain;
    say("GM_RACE", api, pc, "%s %s %s%s (byte %llu of '%s'), and %s.", api, race.what,
        to_core ? "" : "what was written by ", launch->cores[race.core]->name.c_str(), at, buffer.name.c_str(),
        race.early ? "the flag between the two cores is set on a pipe that does not wait for that copy"
                   : "nothing orders the two cores");
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
        for (auto it = dirty_[i].lower_bound((base + begin) / cache_line_bytes);
             it != dirty_[i].end() && *it * cache_line_bytes < base + end; ++it) {
            const uint64_t first = (*it * cache_line_bytes - base) / shadow_block;
            for (uint64_t at = std::max(first, begin / shadow_block);
                 at < first + cache_line_bytes / shadow_block && at * shadow_block < end; ++at) {
                const Touch &touch = shadow.writers.of(at).touch;
                if (touch.stamp && core_of(touch.stamp) == i && (touch.bytes & covered(at, begin, end))) {
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
    const uint32_t fix = in.pipe == Pipe::FIX ? by_fix : 0;
    const uint32_t number = in.pipe == Pipe::MTE3 || fix ? self->detector.number() | fix : 0;
    const bool known = !atomic && other && other->rows == global.rows && other->row_bytes >= global.row_bytes;
    if (buffer.variables) {
        settle(buffer);
    }
    Race race;
    for (uint32_t row = 0; row < global.rows; ++row) {
        const uint8_t *begin = global.begin + static_cast<int64_t>(row) * global.row_stride;
        const uint64_t offset = static_cast<uint64_t>(begin - buffer.data);
        const uint64_t end = offset + global.row_bytes;
        const Change change = known ? Change{begin, other->begin + row * other->row_stride} : Change();
        const Race found =
            global.write ? write(*shadow, offset, end, number, atomic, change) : read(*shadow, offset, end, in.pipe);
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
    if (atomic || other || !global.write) {
        tell(race, in.api, in.pc, buffer);
    }
}

void GlobalRaceDetector::fill(const Instr &in, const uint8_t *begin, uint64_t bytes, uint64_t value,
                              uint32_t value_bytes, const GmBuffer &buffer)
{
    ShadowMemory *shadow = shadow_of(buffer);
    if (!shadow) {
        return;
    }
    constexpr uint64_t at_once = 4096; // a multiple of any element's size
    uint8_t pattern[at_once];
    for (uint64_t at = 0; at < at_once; at += value_bytes) {
        std::memcpy(pattern + at, &value, value_bytes);
    }
    const uint64_t first = static_cast<uint64_t>(begin - buffer.data);
    Race race;
    for (uint64_t done = 0; done < bytes; done += at_once) {
        const uint64_t end = std::min(bytes, done + at_once);
        const Race found = write(*shadow, first + done, first + end, 0, false, {begin + done, pattern});
        race = race.what ? race : found;
    }
    tell(race, in.api, in.pc, buffer);
}

void GlobalRaceDetector::scalar(const uint8_t *address, uint32_t bytes, bool write, const GmBuffer &buffer,
                                const void *pc)
{
    ShadowMemory *shadow = shadow_of(buffer);
    if (!shadow) {
        return;
    }
    const uint64_t offset = static_cast<uint64_t>(address - buffer.data);
    if (buffer.variables) {
        enter(buffer, offset, bytes, write);
    }
    if (write) {
        // Whether the value is a new one is not known yet, so that overwriting is no race.
        this->write(*shadow, offset, offset + bytes, 0, false, {});
        dirty_lines_ += dirty_[self->index].insert(reinterpret_cast<uint64_t>(address) / cache_line_bytes).second;
        return;
    }
    const char *api = "GlobalTensor::GetValue";
    const uint64_t line = reinterpret_cast<uint64_t>(address) / cache_line_bytes;
    if (!released_lines_.empty() && watched_[self->index].count(line)) {
        acquire(*self, {line_key, line});
    }
    const Race race = read(*shadow, offset, offset + bytes, Pipe::S);
    uint32_t core = 0;
    if (race.what) {
        // A device goes on with what the core's own cache holds of a variable.
        tell(race, api, pc, buffer, buffer.variables && as_in_own_cache(buffer, offset, bytes));
        return;
    }
    if (buffer.variables) {
        learn(buffer, self->index, offset, bytes);
    }
    if (stale(*shadow, buffer, offset, offset + bytes, false, core)) {
        const auto say = buffer.variables ? warn : complain;
        say("CACHE_CLEAN", api, pc,
            "%s reads byte %llu of '%s', which core %s wrote with SetValue; the value may still lie in its data cache.",
            api, static_cast<unsigned long long>(offset), buffer.name.c_str(), launch->cores[core]->name.c_str());
    }
}

void GlobalRaceDetector::enter(const GmBuffer &variables, uint64_t offset, uint32_t bytes, bool write)
{
    constexpr size_t most_pending = 64;
    auto &ranges = pending_.ranges;
    if (!write || pending_.core != self->index || ranges.empty() || ranges.size() == most_pending) {
        settle(variables);
    }
    if (write && !ranges.empty() && ranges.back().first + ranges.back().second == offset) {
        ranges.back().second += bytes;
    } else if (write) {
        pending_.core = self->index;
        ranges.emplace_back(offset, bytes);
    }
}

void GlobalRaceDetector::settle(const GmBuffer &variables)
{
    if (first_variables_.empty() && variables.size_bytes <= most_variables) {
        first_variables_.assign(variables.data, variables.data + variables.size_bytes);
    }
    for (const auto &[offset, bytes] : pending_.ranges) {
        learn(variables, pending_.core, offset, bytes);
    }
    pending_.ranges.clear();
}

// Keep what is in memory as what the core's cache holds.
void GlobalRaceDetector::learn(const GmBuffer &variables, uint32_t core, uint64_t offset, uint64_t bytes)
{
    std::vector<uint8_t> &own = own_variables_[core];
    if (bytes == 0 || offset + bytes > first_variables_.size() ||
        (own.empty() && std::memcmp(variables.data + offset, &first_variables_[offset], bytes) == 0)) {
        return;
    }
    if (own.empty()) {
        own = first_variables_;
    }
    std::memcpy(&own[offset], variables.data + offset, bytes);
}

bool GlobalRaceDetector::as_in_own_cache(const GmBuffer &variables, uint64_t offset, uint32_t bytes) const
{
    const std::vector<uint8_t> &own =
        own_variables_[self->index].empty() ? first_variables_ : own_variables_[self->index];
    return offset + bytes <= own.size() && std::memcmp(&own[offset], variables.data + offset, bytes) == 0;
}

bool GlobalRaceDetector::clean(const Core &core, const uint8_t *address, bool whole, uint32_t through)
{
    std::set<uint64_t> &lines = dirty_[core.index];
    const uint64_t one = reinterpret_cast<uint64_t>(address) / cache_line_bytes;
    if (whole) {
        for (const uint64_t line : lines) {
            release_line(core, line, through);
        }
        dirty_lines_ -= lines.size();
        lines.clear();
        return false;
    }
    if (lines.erase(one)) {
        --dirty_lines_;
        release_line(core, one, through);
        return false;
    }
    if (watched_[core.index].size() < most_lines) {
        watched_[core.index].insert(one);
    }
    return true;
}

void GlobalRaceDetector::direct(const Core &core, const uint8_t *address, bool write, uint32_t through)
{
    const uint64_t line = reinterpret_cast<uint64_t>(address) / cache_line_bytes;
    if (write) {
        dirty_lines_ -= dirty_[core.index].erase(line);
        release_line(core, line, through);
    } else {
        acquire(core, {line_key, line});
    }
}

void GlobalRaceDetector::release_line(const Core &core, uint64_t line, uint32_t through)
{
    if (released_lines_.size() < most_lines || released_lines_.count(line)) {
        released_lines_.insert(line);
        release(core, {line_key, line}, through);
    }
}

} // namespace akgen::twin
