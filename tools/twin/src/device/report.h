// What a launch has to say: diagnostics, each once per code and place, and the lines of the report file.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace akgen::twin {

struct Diagnostic {
    std::string code, api, text, severity, core;
    uint64_t so_offset = 0;
    uint64_t count = 1;
};

struct __attribute__((visibility("default"))) Report {
    int fd = -1;
    bool keep = false; // diagnostics and messages, after they are written
    std::vector<Diagnostic> diagnostics;
    uint64_t printed_bytes = 0;
    std::vector<std::string> messages; // what the kernel printed, bounded

    // Count another occurrence if code and place were seen before.
    void add(Diagnostic diagnostic);
    bool any_error() const;
    void write_diagnostics();
    void line(const std::string &json) const;
};

__attribute__((visibility("default"))) std::string json_quote(const std::string &text);

} // namespace akgen::twin
