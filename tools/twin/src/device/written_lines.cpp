#include "written_lines.h"
#include "core.h"
#include <cstring>

namespace akgen::twin {

namespace {
uint64_t number_of(const uint8_t *address) { return reinterpret_cast<uint64_t>(address) / WrittenLines::line_bytes; }
} // namespace

// What the line holds when it comes into the running core's cache: values of cores that nothing orders before it may not
// be there yet.
WrittenLines::Held WrittenLines::take(uint8_t *line, Holders &holders)
{
    Held held{self->index, 0, self->index, 0, line, nullptr, {}};
    std::memcpy(held.before, line, line_bytes);
    for (Held &other : holders) {
        if (other.core == self->index || other.bytes == 0 ||
            (other.written_back && launch->global->happens_before(other.written_back))) {
            continue;
        }
        held.other = other.core;
        other.other = self->index;
        for (uint64_t at = 0; at < line_bytes; ++at) {
            held.before[at] = other.bytes >> at & 1 ? other.before[at] : held.before[at];
        }
    }
    return held;
}

void WrittenLines::write(uint8_t *address, uint32_t bytes, const void *pc)
{
    const uint64_t number = number_of(address);
    Holders &holders = lines_[number];
    uint8_t *const line = reinterpret_cast<uint8_t *>(number * line_bytes);
    Held *mine = nullptr;
    for (Held &held : holders) {
        mine = held.core == self->index ? &held : mine;
    }
    if (!mine || mine->written_back) {
        const Held fresh = take(line, holders);
        mine_[self->index].push_back(number);
        if (!mine) {
            holders.push_back(fresh);
            mine = &holders.back();
        } else {
            *mine = fresh;
        }
    }
    const uint64_t wanted = bytes >= line_bytes ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
    mine->bytes |= wanted << (address - line);
    mine->pc = pc;
}

void WrittenLines::put_back(Held &held, const Holders &holders) const
{
    held.written_back = launch->global->own_stamp();
    uint64_t of_others = 0;
    for (const Held &other : holders) {
        of_others |= other.core == held.core ? 0 : other.bytes;
    }
    of_others &= ~held.bytes;
    if (held.other == held.core || of_others == 0) {
        return;
    }
    int32_t first = -1;
    for (int32_t at = line_bytes - 1; at >= 0; --at) {
        if (of_others >> at & 1 && held.line[at] != held.before[at]) {
            held.line[at] = held.before[at];
            first = at;
        }
    }
    if (first < 0) {
        return;
    }
    const Place place = place_of(held.line + first);
    const auto byte = place.buffer ? static_cast<unsigned long long>(held.line + first - place.buffer->data) : 0;
    complain(
        "CACHE_LINE_SHARED", "SetValue", held.pc,
        "Cores %s and %s write into one line of 64 bytes through their data caches, and nothing orders them: what one "
        "of them wrote at byte %llu of '%s' is lost.",
        launch->cores[held.core]->name.c_str(), launch->cores[held.other]->name.c_str(), byte,
        place.buffer ? place.buffer->name.c_str() : "?");
}

void WrittenLines::write_back(const uint8_t *address)
{
    const auto found = lines_.find(number_of(address));
    if (found == lines_.end()) {
        return;
    }
    for (Held &held : found->second) {
        if (held.core == self->index && !held.written_back) {
            put_back(held, found->second);
        }
    }
}

void WrittenLines::write_back_all()
{
    for (const uint64_t number : mine_[self->index]) {
        Holders &holders = lines_[number];
        for (Held &held : holders) {
            if (held.core == self->index && !held.written_back) {
                put_back(held, holders);
            }
        }
    }
    mine_[self->index].clear();
}

} // namespace akgen::twin
