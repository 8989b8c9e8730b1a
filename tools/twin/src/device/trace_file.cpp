// Writing a trace in Chrome's form: complete events on the lanes of pipes and buffers, flow events for arrows, counters.
#include "core.h"
#include "trace.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace akgen::twin {

namespace {
constexpr uint32_t first_buffer_lane = 100; // below: pipes
const char *const memory_names[local_spaces] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
const char *memory_name(Space space) { return memory_names[static_cast<int>(space) - static_cast<int>(Space::UB)]; }

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

// The tensor in global memory that a copy reads or writes.
std::string tensor_of(const Launch &l, const Record &r)
{
    const bool copies = static_cast<Pipe>(r.pipe) != Pipe::V && static_cast<Pipe>(r.pipe) != Pipe::M;
    const Shape shape = unpack(r.aux, false);
    const bool known = copies && shape.global && shape.buffer < std::min<size_t>(l.buffers.size(), most_buffers);
    return known ? ",\"tensor\":" + json_quote(l.buffers[shape.buffer].name) : "";
}

std::string name_of(const Log &log, const Record &r)
{
    switch (r.kind) {
    case Kind::instr: return log.ops[r.op].api;
    case Kind::scalar:
        return (r.aux & scalar_what) == scalar_work     ? "scalar code"
               : (r.aux & scalar_what) == scalar_global ? "scalar access to global memory"
                                                        : "scalar access";
    case Kind::set: return "SetFlag";
    case Kind::wait: return "WaitFlag";
    case Kind::barrier: return "PipeBarrier";
    case Kind::auto_wait: return "wait for a result";
    case Kind::cross_set: return "CrossCoreSetFlag";
    case Kind::cross_wait: return "CrossCoreWaitFlag";
    case Kind::sync_all: return "SyncAll";
    }
    return "";
}

// What a wait is for.
std::string awaited(const Record &r)
{
    switch (r.kind) {
    case Kind::wait: return std::string("waits for ") + pipe_name(static_cast<Pipe>(r.pipe >> 4));
    case Kind::auto_wait: return std::string("waits for ") + pipe_name(static_cast<Pipe>(r.work));
    case Kind::barrier: return "waits for all pipes";
    case Kind::cross_wait: return "waits for another core";
    case Kind::sync_all: return "waits for all cores";
    default: return "waits for room in a queue";
    }
}

// A place in a buffer of an on-chip memory, in use from one time to another.
struct Use {
    uint32_t buffer;
    double from, to;
};

// Bytes of [0, size) that any of them covers.
uint64_t covered(std::vector<std::pair<uint32_t, uint32_t>> ranges, uint32_t size)
{
    std::sort(ranges.begin(), ranges.end());
    uint64_t sum = 0, reached = 0;
    for (const auto &[begin, end] : ranges) {
        const uint64_t from = std::max<uint64_t>(begin, reached), to = std::min(end, size);
        sum += to > from ? to - from : 0;
        reached = std::max<uint64_t>(reached, to);
    }
    return sum;
}
} // namespace

// Writes events as they come, in pieces of a megabyte.
class TraceWriter {
public:
    TraceWriter(int fd, double clock) : fd_(fd), clock_(clock) {}
    void raw(const std::string &text)
    {
        text_ += text;
        if (text_.size() > (1u << 20)) {
            flush();
        }
    }
    void event(const std::string &body)
    {
        raw((first_ ? "\n{" : ",\n{") + body + "}");
        first_ = false;
    }
    void flush()
    {
        size_t done = 0;
        while (done < text_.size()) {
            const ssize_t wrote = ::write(fd_, text_.data() + done, text_.size() - done);
            if (wrote <= 0) {
                break; // a trace that cannot be written is cut short, and its reader says so
            }
            done += static_cast<size_t>(wrote);
        }
        text_.clear();
    }
    // In microseconds, to the nanosecond.
    double us(double cycles) const { return std::round(cycles / clock_ * 1000) / 1000; }
    void complete(const std::string &head, double start, double end, const std::string &args)
    {
        event("\"ph\":\"X\"," + head + ",\"ts\":" + number(us(start)) + ",\"dur\":" + number(us(end) - us(start)) +
              ",\"args\":{" + args + "}");
    }
    void name(const char *what, const std::string &lane, const std::string &text, const std::string &more = "")
    {
        event(std::string("\"ph\":\"M\",\"name\":\"") + what + "\"," + lane +
              ",\"args\":{\"name\":" + json_quote(text) + more + "}");
    }

private:
    int fd_;
    double clock_;
    std::string text_;
    bool first_ = true;
};

namespace {
std::string lane(uint32_t core, uint32_t thread)
{
    return "\"pid\":" + std::to_string(core) + ",\"tid\":" + std::to_string(thread);
}
} // namespace

void Trace::write_lanes(const Launch &l, TraceWriter &out) const
{
    std::vector<std::array<bool, 7>> used(cores_.size());
    for (const Span &span : spans_) {
        used[span.core][span.pipe] = true;
    }
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        out.name("process_name", "\"pid\":" + std::to_string(core), l.cores[core]->name,
                 ",\"block\":" + std::to_string(l.mixed ? l.cores[core]->block : core));
        for (uint32_t pipe = 0; pipe < pipe_count; ++pipe) {
            if (used[core][pipe]) {
                out.name("thread_name", lane(core, pipe), pipe_name(static_cast<Pipe>(pipe)));
            }
        }
    }
    for (const Span &span : spans_) {
        const Log &log = *cores_[span.core].log;
        const Record &r = log.records[span.record];
        const std::string at = lane(span.core, span.pipe);
        const std::string place = "\"so_offset\":" + std::to_string(r.pc);
        if (span.waits) {
            out.complete("\"cat\":\"wait\",\"name\":\"" + awaited(r) + "\"," + at, span.start, span.end, place);
            continue;
        }
        const std::string head = "\"name\":" + json_quote(name_of(log, r)) + "," + at;
        if (r.kind != Kind::instr) {
            out.complete(head, span.start, span.end,
                         place + (r.kind == Kind::scalar ? ",\"count\":" + std::to_string(r.work) : ""));
            continue;
        }
        const bool vector = static_cast<Pipe>(r.pipe) == Pipe::V;
        out.complete(head, span.start, span.end,
                     place + (vector ? ",\"elements\":" : ",\"bytes\":") + std::to_string(r.work) + ",\"dtype\":\"" +
                         dtype_name(log.ops[r.op].dtype) + "\"" + tensor_of(l, r));
    }
    const char *const causes[] = {"data", "buffer", "cores"};
    for (size_t i = 0; i < arrows_.size(); ++i) {
        const Span &from = spans_[arrows_[i].from], &to = spans_[arrows_[i].to];
        const std::string head = std::string("\"cat\":\"flag\",\"name\":\"") +
                                 causes[static_cast<int>(arrows_[i].cause)] + "\",\"id\":" + std::to_string(i + 1) +
                                 ",";
        // Inside the instruction that they leave, and at the begin of the one that they reach; a wait ends with them.
        const double left = std::max(out.us(from.start), out.us(from.end) - 0.001);
        const double reached = to.waits ? std::max(out.us(to.start), out.us(to.end) - 0.001) : out.us(to.start);
        out.event("\"ph\":\"s\"," + head + lane(from.core, from.pipe) + ",\"ts\":" + number(left));
        out.event("\"ph\":\"f\",\"bp\":\"e\"," + head + lane(to.core, to.pipe) + ",\"ts\":" + number(reached));
    }
}

void Trace::write_buffers(const Launch &l, const std::vector<double> &core_begin, const std::vector<double> &core_end,
                          TraceWriter &out) const
{
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        const Log &log = *cores_[core].log;
        const auto &at = cores_[core].held_at;
        // Where not all is known, what is known ends with the last that is.
        double end = core_end[core];
        if (log.held_left_out > 0 && !at.empty()) {
            end = std::max(0.0, *std::max_element(at.begin(), at.end()));
        }
        std::vector<Log::LocalBuffer> buffers = log.buffers;
        std::vector<double> since(buffers.size(), -1.0);
        std::vector<Use> uses;
        const auto close = [&](uint32_t buffer, double now) {
            if (since[buffer] >= 0) {
                uses.push_back({buffer, since[buffer], std::max(now, since[buffer])});
                since[buffer] = -1;
            }
        };
        for (size_t i = 0; i < at.size(); ++i) {
            const double now = at[i] < 0 ? end : at[i];
            const Log::Held &held = log.held[i];
            if (!held.taken) {
                close(held.buffer, now);
            } else if (since[held.buffer] < 0) {
                since[held.buffer] = now;
            }
        }
        for (uint32_t buffer = 0; buffer < since.size(); ++buffer) {
            close(buffer, end);
        }
        for (int memory = 0; memory < local_spaces; ++memory) { // tensors by address lie there all the time
            const Region &region = l.cores[core]->regions[memory];
            if (region.static_bytes > region.most_bytes) {
                uses.push_back({static_cast<uint32_t>(buffers.size()), core_begin[core], core_end[core]});
                buffers.push_back(
                    {static_cast<Space>(memory + 1), region.most_bytes, region.static_bytes - region.most_bytes, 0});
            }
        }
        for (const Use &use : uses) {
            const Log::LocalBuffer &b = buffers[use.buffer];
            out.complete("\"cat\":\"buffer\",\"name\":\"" + std::string(memory_name(b.space)) + "\"," +
                             lane(core, first_buffer_lane + use.buffer),
                         use.from, use.to,
                         "\"so_offset\":" + std::to_string(b.pc) + ",\"offset\":" + std::to_string(b.offset) +
                             ",\"bytes\":" + std::to_string(b.bytes));
        }
        for (int memory = 0; memory < local_spaces; ++memory) {
            const Region &region = l.cores[core]->regions[memory];
            std::vector<std::pair<double, const Use *>> changes; // at a time those that end first
            for (const Use &use : uses) {
                if (static_cast<int>(buffers[use.buffer].space) == memory + static_cast<int>(Space::UB)) {
                    changes.emplace_back(use.from, &use);
                    changes.emplace_back(use.to, &use);
                }
            }
            std::stable_sort(changes.begin(), changes.end(),
                             [](const auto &a, const auto &b) { return a.first < b.first; });
            std::vector<const Use *> now;
            for (size_t i = 0; i < changes.size(); ++i) {
                const auto [time, use] = changes[i];
                const auto here = std::find(now.begin(), now.end(), use);
                here == now.end() ? now.push_back(use) : static_cast<void>(now.erase(here));
                if (i + 1 < changes.size() && out.us(changes[i + 1].first) == out.us(time)) {
                    continue; // the last word at this time
                }
                std::vector<std::pair<uint32_t, uint32_t>> ranges;
                for (const Use *each : now) {
                    const Log::LocalBuffer &b = buffers[each->buffer];
                    ranges.emplace_back(b.offset, b.offset + b.bytes);
                }
                out.event("\"ph\":\"C\",\"name\":\"" + std::string(memory_names[memory]) +
                          " in use\",\"pid\":" + std::to_string(core) + ",\"ts\":" + number(out.us(time)) +
                          ",\"args\":{\"bytes\":" + std::to_string(covered(ranges, region.size_bytes)) + "}");
            }
        }
    }
}

std::string Trace::places() const
{
    std::string text;
    for (const auto &[place, cost] : costs_) {
        text += (text.empty() ? "\n" : ",\n") + std::string("{\"so_offset\":") + std::to_string(place.first) +
                ",\"pipe\":\"" + pipe_name(static_cast<Pipe>(place.second)) + "\",\"busy\":" + number(cost.busy) +
                ",\"stalled\":" + number(cost.stalled) + ",\"instructions\":" + std::to_string(cost.instructions) + "}";
    }
    return text;
}

void Trace::write(const Launch &l, const std::vector<double> &core_begin, const std::vector<double> &core_end,
                  int fd) const
{
    TraceWriter out(fd, l.chip->at("clock_mhz"));
    const auto left = [](const char *what, uint64_t count) {
        return std::string(",\"") + what + "_left_out\":" + std::to_string(count);
    };
    std::string sizes;
    const char *const keys[local_spaces] = {"ub_size",  "l1_size", "l0a_size", "l0b_size",
                                            "l0c_size", "bt_size", "fb_size"};
    for (int i = 0; i < local_spaces; ++i) {
        sizes += (i ? ",\"" : "\"") + std::string(memory_names[i]) + "\":" + std::to_string(l.chip->bytes(keys[i]));
    }
    out.raw("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"source\":\"predicted\",\"soc\":" + json_quote(l.chip->soc) +
            ",\"clock_mhz\":" + number(l.chip->at("clock_mhz")) + left("events", left_out_.spans) +
            left("arrows", left_out_.arrows) + left("buffers", left_out_.held) + left("places", left_out_.places) +
            ",\"memories\":{" + sizes + "}},\"lines\":[" + places() + "],\"traceEvents\":[");
    write_lanes(l, out);
    write_buffers(l, core_begin, core_end, out);
    out.raw("\n]}\n");
    out.flush();
}

} // namespace akgen::twin
