#include "report.h"
#include <cstdio>
#include <unistd.h>

namespace akgen::twin {

std::string json_quote(const std::string &text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x",
                          byte); // one code point per byte keeps broken UTF-8 valid JSON
            quoted += escape;
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

void Report::add(Diagnostic diagnostic)
{
    for (Diagnostic &seen : diagnostics) {
        if (seen.code == diagnostic.code && seen.so_offset == diagnostic.so_offset && seen.api == diagnostic.api &&
            seen.severity == diagnostic.severity) {
            ++seen.count;
            return;
        }
    }
    constexpr size_t most = 200;
    if (diagnostics.size() < most || diagnostic.severity == "error") {
        diagnostics.push_back(std::move(diagnostic));
    }
}

bool Report::any_error() const
{
    for (const Diagnostic &d : diagnostics) {
        if (d.severity == "error") {
            return true;
        }
    }
    return false;
}

void Report::line(const std::string &json) const
{
    const std::string text = json + "\n";
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
        if (wrote <= 0) {
            return; // the missing end line tells
        }
        done += static_cast<size_t>(wrote);
    }
}

void Report::write_diagnostics()
{
    for (const Diagnostic &d : diagnostics) {
        const std::string kind = d.severity == "note" ? "note" : "diagnostic";
        line("{\"kind\":\"" + kind + "\",\"code\":" + json_quote(d.code) + ",\"api\":" + json_quote(d.api) +
             ",\"text\":" + json_quote(d.text) + ",\"severity\":" + json_quote(d.severity) +
             ",\"core\":" + json_quote(d.core) + ",\"so_offset\":" + std::to_string(d.so_offset) +
             ",\"count\":" + std::to_string(d.count) + "}");
    }
    for (const std::string &text : messages) {
        line("{\"kind\":\"print\",\"text\":" + json_quote(text) + "}");
    }
    if (!keep) {
        diagnostics.clear();
        messages.clear();
    }
}

} // namespace akgen::twin
