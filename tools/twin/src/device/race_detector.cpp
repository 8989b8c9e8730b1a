#include "race_detector.h"
#include <algorithm>

namespace akgen::twin {

namespace {
uint32_t latest(const uint32_t *numbers, uint32_t first, uint32_t last)
{
    uint32_t top = 0;
    for (uint32_t i = first; i < last; ++i) {
        top = numbers[i] > top ? numbers[i] : top;
    }
    return top;
}

void mark(std::vector<uint64_t> &bits, uint32_t first, uint32_t last)
{
    for (uint32_t at = first; at < last;) {
        const uint32_t end = std::min((at / 64 + 1) * 64, last);
        const uint64_t run = end - at == 64 ? ~uint64_t{0} : (uint64_t{1} << (end - at)) - 1;
        bits[at / 64] |= run << at % 64;
        at = end;
    }
}

bool auto_ordered(int a, int b)
{
    const int s = static_cast<int>(Pipe::S);
    const auto covered = [](int p) {
        return p == static_cast<int>(Pipe::V) || p == static_cast<int>(Pipe::MTE2) || p == static_cast<int>(Pipe::MTE3);
    };
    return (a == s && covered(b)) || (b == s && covered(a));
}
} // namespace

void RaceDetector::watch(int region, uint32_t size_bytes, SpareNumbers &spare)
{
    shadows_[region].blocks = (size_bytes + 31) / 32;
    shadows_[region].ever.assign(shadows_[region].blocks / 64 + 1, 0);
    spare_ = &spare;
}

void RaceDetector::end()
{
    for (ShadowMemory &shadow : shadows_) {
        for (int p = 0; p < pipes; ++p) {
            for (uint32_t **numbers : {&shadow.written[p], &shadow.read[p]}) {
                if (*numbers) {
                    spare_->give(*numbers, shadow.blocks);
                    *numbers = nullptr;
                }
            }
        }
    }
}

void RaceDetector::begin(Pipe pipe, bool auto_sync)
{
    const int before = pipe_;
    pipe_ = static_cast<int>(pipe);
    auto_sync_ = auto_sync;
    if (waits_.same_pipe && auto_sync_) { // the instruction before, which waited until its pipe had done all before it
        clock_[before][before] = std::max(clock_[before][before], number_ - 1);
    }
    number_ = ++time_[pipe_];
    waits_ = Waits{};
    if (pipe_ != 0) { // issued by the scalar unit after all it has waited for
        for (int p = 0; p < pipes; ++p) {
            if (clock_[0][p] > clock_[pipe_][p]) {
                clock_[pipe_][p] = clock_[0][p];
            }
        }
        clock_[pipe_][0] = time_[0]; // scalar work is complete when the next instruction issues
    }
}

void RaceDetector::check_against(ShadowMemory &shadow, int other, uint32_t first, uint32_t last, bool write,
                                 Conflict &conflict)
{
    const uint32_t known = clock_[pipe_][other];
    if (known >= time_[other]) {
        return;
    }
    for (const bool wrote : {true, false}) {
        uint32_t *numbers = wrote ? shadow.written[other] : shadow.read[other];
        if (!numbers || (!wrote && !write)) { // two reads do not conflict
            continue;
        }
        const uint32_t top = latest(numbers, first, last);
        if (top <= known || (other == pipe_ && top >= number_)) {
            continue;
        }
        if (other == pipe_) {
            waits_.same_pipe = true;
            waits_.overtakes |= wrote && write && pipe_ == static_cast<int>(Pipe::MTE2) && &shadow == &shadows_[0];
            // Instructions of a pipe start in order, so that only a result may be missing; other pipes end in order,
            // too. It is not missing any more after some other instructions: the latency is shorter than they are.
            constexpr uint32_t in_flight = 2;
            const bool late = wrote && !write && number_ - top <= in_flight;
            if (auto_sync_ || pipe_ != static_cast<int>(Pipe::V) || !late) {
                continue;
            }
        } else if (auto_ordered(pipe_, other)) { // with automatic synchronisation off, too: public kernels rely on it
            waits_.number[other] = top > waits_.number[other] ? top : waits_.number[other];
            continue;
        }
        if (!conflict.found) {
            uint32_t block = first;
            while (numbers[block] != top) {
                ++block;
            }
            conflict = Conflict{true, static_cast<Pipe>(other), wrote, false, top, block};
        } else {
            conflict.more = true;
        }
    }
}

RaceDetector::Conflict RaceDetector::access(int region, uint32_t first_byte, uint32_t bytes, bool write)
{
    Conflict conflict;
    ShadowMemory &shadow = shadows_[region];
    if (shadow.blocks == 0 || bytes == 0) {
        return conflict;
    }
    const uint32_t first = first_byte / 32;
    const uint32_t last = (first_byte + bytes + 31) / 32;
    for (int other = 0; other < pipes; ++other) {
        check_against(shadow, other, first, last, write, conflict);
    }
    uint32_t *&mine = write ? shadow.written[pipe_] : shadow.read[pipe_];
    if (!mine) {
        mine = spare_->take(shadow.blocks);
    }
    if (mine) {
        std::fill(mine + first, mine + last, number_);
    }
    if (write) {
        mark(shadow.ever, first, last);
    }
    // The automatic synchronisation waits for all that the other pipe was given so far.
    for (int p = 0; p < pipes; ++p) {
        if (waits_.number[p]) {
            clock_[pipe_][p] = time_[p];
        }
    }
    return conflict;
}

int64_t RaceDetector::unwritten(int region, uint32_t first_byte, uint32_t bytes) const
{
    const ShadowMemory &shadow = shadows_[region];
    const uint32_t last = std::min((first_byte + bytes + 31) / 32, shadow.blocks);
    for (uint32_t block = first_byte / 32; block < last;) {
        const uint64_t bare = ~shadow.ever[block / 64] >> block % 64;
        if (bare == 0) {
            block = (block / 64 + 1) * 64;
            continue;
        }
        block += static_cast<uint32_t>(__builtin_ctzll(bare));
        return block < last ? int64_t{block} : -1;
    }
    return -1;
}

bool RaceDetector::bare(int region, uint32_t first_byte, uint32_t bytes) const
{
    const ShadowMemory &shadow = shadows_[region];
    const uint32_t last = std::min((first_byte + bytes + 31) / 32, shadow.blocks);
    for (uint32_t block = first_byte / 32; block < last;) {
        const uint64_t written = shadow.ever[block / 64] >> block % 64;
        if (written != 0) {
            return block + static_cast<uint32_t>(__builtin_ctzll(written)) >= last;
        }
        block = (block / 64 + 1) * 64;
    }
    return true;
}

uint32_t RaceDetector::before(Pipe from, Pipe other) const
{
    const int f = static_cast<int>(from), o = static_cast<int>(other);
    const uint32_t known = std::max(clock_[0][o], clock_[f][o]);
    return f == o || known >= time_[o] ? ~0u : known;
}

void RaceDetector::release(Pipe from, Pipe to, int id, const void *pc)
{
    const int f = static_cast<int>(from);
    Release released;
    for (int p = 0; p < pipes; ++p) {
        released.clock[p] = clock_[0][p] > clock_[f][p] ? clock_[0][p] : clock_[f][p];
    }
    released.clock[f] = time_[f];
    released.clock[0] = time_[0];
    released.pc = pc;
    auto &flags = flags_[f][static_cast<int>(to)];
    if (!flags) {
        flags = std::make_unique<std::array<std::vector<Release>, 8>>();
    }
    (*flags)[id].push_back(released);
}

bool RaceDetector::acquire(Pipe from, Pipe to, int id)
{
    if (pending(from, to, id) == 0) {
        return false;
    }
    auto &flag = (*flags_[static_cast<int>(from)][static_cast<int>(to)])[id];
    const Release released = flag.front();
    flag.erase(flag.begin());
    const int t = static_cast<int>(to);
    for (int p = 0; p < pipes; ++p) {
        if (released.clock[p] > clock_[t][p]) {
            clock_[t][p] = released.clock[p];
        }
    }
    ended_[t] = std::max(ended_[t], released.clock[t]);
    clock_[t][t] = time_[t]; // waiting lasts longer than an instruction's latency: public kernels take it for a barrier
    return true;
}

uint32_t RaceDetector::follow(Pipe later, Pipe earlier)
{
    const int l = static_cast<int>(later), e = static_cast<int>(earlier);
    for (int p = 0; p < pipes; ++p) {
        clock_[l][p] = clock_[e][p] > clock_[l][p] ? clock_[e][p] : clock_[l][p];
    }
    clock_[l][e] = time_[e];
    return time_[e];
}

void RaceDetector::barrier(Pipe pipe)
{
    for (int p = 0; p < pipes; ++p) {
        ended_[p] = pipe == Pipe::ALL || p == static_cast<int>(pipe) ? time_[p] : ended_[p];
    }
    if (pipe != Pipe::ALL) {
        clock_[static_cast<int>(pipe)][static_cast<int>(pipe)] = time_[static_cast<int>(pipe)];
        return;
    }
    for (int q = 0; q < pipes; ++q) {
        for (int p = 0; p < pipes; ++p) {
            clock_[q][p] = time_[p];
        }
    }
}

} // namespace akgen::twin
