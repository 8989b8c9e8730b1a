// What a trace's file is written with: events in Chrome's form, in pieces of a megabyte.
#pragma once
#include <cstdint>
#include <string>

#pragma GCC visibility push(hidden)
namespace akgen::twin {

// In the order of Space from UB on.
constexpr const char *memory_names[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
std::string number(double value); // to a thousandth
// The part of an event that says where it stands: cores are processes, pipes and buffers are threads.
std::string lane(uint32_t core, uint32_t thread);

class TraceWriter {
public:
    TraceWriter(int fd, double clock) : fd_(fd), clock_(clock) {}
    void raw(const std::string &text);
    void event(const std::string &body);
    void flush();
    double us(double cycles) const; // to the nanosecond
    void complete(const std::string &head, double start, double end, const std::string &args);
    void name(const char *what, const std::string &lane, const std::string &text, const std::string &more = "");
    void count(uint32_t core, const std::string &name, double time, uint64_t bytes);

private:
    int fd_;
    double clock_; // cycles per microsecond
    std::string text_;
    bool first_ = true;
};

} // namespace akgen::twin
#pragma GCC visibility pop
