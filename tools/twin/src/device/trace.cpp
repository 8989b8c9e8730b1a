// Collecting what a trace shows, while the simulation runs.
#include "trace.h"
#include "core.h"
#include <algorithm>

namespace akgen::twin {

namespace {
constexpr size_t most_spans = 72000, most_arrows = 26000;
constexpr size_t most_places = 4000, most_causes = 8;
uint32_t key_of(uint32_t from, uint32_t to, uint32_t place) { return from << 16 | to << 8 | place; }
} // namespace

size_t trace_share(size_t whole, bool first_block, size_t of_first_block, size_t cores)
{
    if (cores <= of_first_block) {
        return whole / std::max<size_t>(1, cores);
    }
    return first_block ? whole / 3 / of_first_block : whole * 2 / 3 / (cores - of_first_block);
}

Trace::Trace(const Launch &launch) : cores_(launch.cores.size())
{
    const size_t of_first = launch.mixed ? 1 + launch.vector_per_block : 1;
    for (const auto &core : launch.cores) {
        PerCore &mine = cores_[core->index];
        mine.log = &core->log;
        const bool first = launch.mixed ? core->block == 0 : core->index == 0;
        mine.spans_left = trace_share(most_spans, first, of_first, launch.cores.size());
        mine.arrows_left = trace_share(most_arrows, first, of_first, launch.cores.size());
        mine.held_at.assign(core->log.held.size(), -1.0);
        left_out_.held += core->log.held_left_out;
        for (uint32_t i = 0; i < core->log.held.size(); ++i) {
            if (core->log.held[i].by_flag) {
                mine.held_by_flag[core->log.held[i].record] = i;
            }
        }
    }
}

uint32_t Trace::add(uint32_t core, int pipe, uint32_t record, double start, double end, bool waits)
{
    spans_.push_back({core, record, static_cast<uint8_t>(pipe), waits, start, end});
    return static_cast<uint32_t>(spans_.size() - 1);
}

bool Trace::room(PerCore &core, double start)
{
    if (core.spans_left > 0) {
        --core.spans_left;
        return true;
    }
    core.cut_at = core.cut_at < 0 ? start : std::min(core.cut_at, start);
    ++left_out_.spans;
    return false;
}

// Let arrows end at what has happened now.
void Trace::follow(PerCore &core, PerPipe &pipe, uint32_t span)
{
    for (const Source &source : pipe.causes) {
        if (span == none || core.arrows_left == 0) {
            ++left_out_.arrows;
        } else {
            --core.arrows_left;
            arrows_.push_back({source.span, span, source.cause});
        }
    }
    pipe.causes.clear();
}

void Trace::ran(uint32_t core, int pipe, uint32_t record, double start, double end)
{
    PerPipe &mine = cores_[core].pipes[pipe];
    mine.last = room(cores_[core], start) ? add(core, pipe, record, start, end, false) : none;
    if (mine.last != none) {
        mine.spans.push_back(mine.last);
    }
    follow(cores_[core], mine, mine.last);
}

void Trace::waited(uint32_t core, int pipe, uint32_t record, double start, double end)
{
    if (end <= start) {
        return;
    }
    PerPipe &mine = cores_[core].pipes[pipe];
    cost_of(cores_[core].log->records[record].pc, pipe).stalled += end - start;
    const uint32_t span = room(cores_[core], start) ? add(core, pipe, record, start, end, true) : none;
    if (pipe == static_cast<int>(Pipe::S)) { // it does nothing that an arrow could point to instead
        const Kind kind = cores_[core].log->records[record].kind;
        if (kind != Kind::wait && kind != Kind::auto_wait && kind != Kind::cross_wait) {
            mine.causes.clear(); // they were not what it waited for
        }
        follow(cores_[core], mine, span);
    }
}

Trace::Cost &Trace::cost_of(uint32_t pc, int pipe)
{
    const auto found = costs_.find({pc, pipe});
    if (found != costs_.end()) {
        return found->second;
    }
    const bool full = costs_.size() >= most_places;
    left_out_.places += full;
    return costs_[{full ? 0 : pc, pipe}]; // the rest stands at no place
}

void Trace::busy(uint32_t core, int pipe, uint32_t record, double cycles, bool instruction)
{
    Cost &cost = cost_of(cores_[core].log->records[record].pc, pipe);
    cost.busy += cycles;
    cost.instructions += instruction;
}

void Trace::add_cause(PerPipe &pipe, Source source)
{
    if (source.span == none || pipe.causes.size() >= most_causes) {
        ++left_out_.arrows;
        return;
    }
    pipe.causes.push_back(source);
}

void Trace::raised(uint32_t core, uint32_t from, uint32_t to, uint32_t place)
{
    cores_[core].flags[key_of(from, to, place)].push_back(cores_[core].pipes[from].last);
}

void Trace::take(std::map<uint32_t, std::deque<uint32_t>> &flags, uint32_t key, PerPipe &to, Cause cause)
{
    auto &line = flags[key];
    if (!line.empty()) {
        const uint32_t source = line.front();
        line.pop_front();
        add_cause(to, {source, cause});
    }
}

void Trace::taken(uint32_t core, uint32_t from, uint32_t to, uint32_t place, bool buffer)
{
    take(cores_[core].flags, key_of(from, to, place), cores_[core].pipes[to], buffer ? Cause::buffer : Cause::data);
}

void Trace::raised_across(uint32_t from_core, int pipe, uint32_t to_core, uint32_t flag)
{
    cores_[to_core].flags_across[flag].push_back(cores_[from_core].pipes[pipe].last);
}

void Trace::taken_across(uint32_t core, uint32_t flag)
{
    take(cores_[core].flags_across, flag, cores_[core].pipes[static_cast<int>(Pipe::S)], Cause::cores);
}

void Trace::needed(uint32_t core, int pipe, uint32_t other, uint32_t number)
{
    const auto &spans = cores_[core].pipes[other].spans;
    const bool shown = number > 0 && number <= spans.size();
    add_cause(cores_[core].pipes[pipe], {shown ? spans[number - 1] : none, Cause::data});
}

void Trace::passed(uint32_t core, uint32_t record, double now)
{
    PerCore &mine = cores_[core];
    const auto &held = mine.log->held;
    for (; mine.next_held < held.size() && held[mine.next_held].record <= record; ++mine.next_held) {
        if (!held[mine.next_held].by_flag) {
            mine.held_at[mine.next_held] = now;
        }
    }
}

void Trace::flag_passed(uint32_t core, uint32_t record, double now)
{
    PerCore &mine = cores_[core];
    const auto found = mine.held_by_flag.find(record);
    if (found != mine.held_by_flag.end()) {
        mine.held_at[found->second] = now;
    }
}

} // namespace akgen::twin
