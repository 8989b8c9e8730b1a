// Writing a trace in Chrome's form: complete events on the lanes of pipes and buffers, flow events for arrows, counters.
#include "core.h"
#include "trace.h"
#include "trace_writer.h"
#include <algorithm>

namespace akgen::twin {

namespace {
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

} // namespace

void Trace::write_lanes(const Launch &l, TraceWriter &out) const
{
    std::vector<std::array<bool, 7>> used(cores_.size());
    for (const Span &span : spans_) {
        used[span.core][span.pipe] = true;
    }
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        out.name("process_name", "\"pid\":" + std::to_string(core), l.cores[core]->name,
                 ",\"block\":" + std::to_string(l.mixed ? l.cores[core]->block : core) +
                     (cores_[core].cut_at >= 0 ? ",\"cut_at\":" + number(out.us(cores_[core].cut_at)) : ""));
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
