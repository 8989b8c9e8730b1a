// Just enough JSON to write a report.
#pragma once
#include <string>

namespace akgen::host {

std::string json_text(const std::string &text); // quoted and escaped; invalid UTF-8 becomes '?'
std::string json_number(double value);          // non-finite values become null

template <class V, class F> std::string json_list(const V &values, F &&write)
{
    std::string out = "[";
    bool first = true;
    for (const auto &value : values) {
        out += first ? "" : ",";
        out += write(value);
        first = false;
    }
    return out + "]";
}

} // namespace akgen::host
