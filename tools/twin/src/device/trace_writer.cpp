#include "trace_writer.h"
#include "report.h"
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace akgen::twin {

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

std::string lane(uint32_t core, uint32_t thread)
{
    return "\"pid\":" + std::to_string(core) + ",\"tid\":" + std::to_string(thread);
}

void TraceWriter::raw(const std::string &text)
{
    text_ += text;
    if (text_.size() > (1u << 20)) {
        flush();
    }
}

void TraceWriter::event(const std::string &body)
{
    raw((first_ ? "\n{" : ",\n{") + body + "}");
    first_ = false;
}

void TraceWriter::flush()
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

double TraceWriter::us(double cycles) const { return std::round(cycles / clock_ * 1000) / 1000; }

void TraceWriter::complete(const std::string &head, double start, double end, const std::string &args)
{
    event("\"ph\":\"X\"," + head + ",\"ts\":" + number(us(start)) + ",\"dur\":" + number(us(end) - us(start)) +
          ",\"args\":{" + args + "}");
}

void TraceWriter::name(const char *what, const std::string &lane, const std::string &text, const std::string &more)
{
    event(std::string("\"ph\":\"M\",\"name\":\"") + what + "\"," + lane + ",\"args\":{\"name\":" + json_quote(text) +
          more + "}");
}

void TraceWriter::count(uint32_t core, const std::string &name, double time, uint64_t bytes)
{
    event("\"ph\":\"C\",\"name\":" + json_quote(name) + ",\"pid\":" + std::to_string(core) +
          ",\"ts\":" + number(us(time)) + ",\"args\":{\"bytes\":" + std::to_string(bytes) + "}");
}

} // namespace akgen::twin
