#include "json.h"

#include <cmath>
#include <cstdio>

namespace akgen::host {

std::string json_text(const std::string &text)
{
    std::string out = "\"";
    for (const char raw : text) {
        const auto c = static_cast<unsigned char>(raw);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += raw;
        } else if (c < 0x20) {
            char buffer[8];
            std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
            out += buffer;
        } else {
            out += c < 0x7F ? raw : '?';
        }
    }
    return out + "\"";
}

std::string json_number(double value)
{
    if (!std::isfinite(value)) {
        return "null";
    }
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.9g", value);
    return buffer;
}

} // namespace akgen::host
