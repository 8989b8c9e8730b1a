// printf of kernels: each argument is taken as its conversion says, and texts lie in the kernel's own memory. The C
// library's printf has conversions that write.
#include "core.h"
#include "akgen/debug.h"
#include "report.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace akgen::twin {

void say(const std::string &text)
{
    constexpr uint64_t most_printed_bytes = 1 << 20; // per launch, as on the device
    Report &report = *launch->report;
    if (report.printed_bytes >= most_printed_bytes) {
        return;
    }
    report.printed_bytes += text.size() + 16;
    report.messages.push_back(self->name + ": " + text);
}

namespace {
constexpr size_t longest = 2048; // of a message

struct Conversion {
    std::string flags;
    int width = 0, precision = -1;
    int longs = 0; // h and hh need none: their arguments are ints
    char kind = 0;
};

struct Arguments {
    va_list list;
};

int number_at(const char *&at, Arguments &arguments)
{
    if (*at == '*') {
        ++at;
        return va_arg(arguments.list, int);
    }
    int value = 0;
    for (; *at >= '0' && *at <= '9'; ++at) {
        value = std::min(value * 10 + (*at - '0'), static_cast<int>(longest));
    }
    return value;
}

// Read what follows a percent sign; `at` is behind it then. The kind is 0 where there is no such conversion.
Conversion conversion_at(const char *&at, Arguments &arguments)
{
    Conversion c;
    for (; *at && std::strchr("#0- +", *at); ++at) {
        if (c.flags.find(*at) == std::string::npos) {
            c.flags += *at;
        }
    }
    constexpr int widest = static_cast<int>(longest);
    c.width = number_at(at, arguments);
    if (c.width < 0) {
        c.flags += '-';
    }
    c.width = std::min(std::abs(std::max(c.width, -widest)), widest);
    if (*at == '.') {
        c.precision = std::min(number_at(++at, arguments), widest);
    }
    for (; *at && std::strchr("hlqjzt", *at); ++at) {
        c.longs += *at != 'h';
    }
    c.kind = *at && std::strchr("diouxXfFeEgGaAcspn%", *at) ? *at++ : '\0';
    return c;
}

template <typename T> std::string formatted(const Conversion &c, const char *length, T value)
{
    const std::string form = "%" + c.flags + "*.*" + length + c.kind;
    char text[longest + 1];
    std::snprintf(text, sizeof text, form.c_str(), c.width, c.precision, value);
    return text;
}

std::string converted(const Conversion &c, Arguments &arguments, const void *pc)
{
    switch (c.kind) {
    case '%': return "%";
    case 'n': trap("BAD_POINTER", "printf", pc, "printf: %%n writes to memory.");
    case 'c': return formatted(c, "", va_arg(arguments.list, int));
    case 'p': return formatted(c, "", va_arg(arguments.list, const void *));
    case 's': {
        const auto *text = va_arg(arguments.list, const char *);
        if (!text) {
            return formatted(c, "", "(null)");
        }
        require_guest_text("printf", pc, text, c.precision < 0 ? longest : static_cast<uint64_t>(c.precision));
        return formatted(c, "", text);
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return formatted(c, "", va_arg(arguments.list, double));
    default:
        return c.longs ? formatted(c, "l", va_arg(arguments.list, long))
                       : formatted(c, "", va_arg(arguments.list, int));
    }
}
} // namespace

void print(const char *format, ...)
{
    const void *pc = __builtin_return_address(0);
    require_guest_text("printf", pc, format, longest);
    std::string text;
    Arguments arguments;
    va_start(arguments.list, format);
    const char *at = format;
    for (size_t shown = 0; *at && shown < longest && text.size() < longest; ++shown) {
        if (*at != '%') {
            text += *at++;
            continue;
        }
        const char *const begin = at++;
        const Conversion c = conversion_at(at, arguments);
        text += c.kind ? converted(c, arguments, pc) : std::string(begin, at);
    }
    va_end(arguments.list);
    text.resize(std::min(text.size(), longest - 1));
    if (!self) { // the host part of a unit test
        std::fputs(text.c_str(), stdout);
        return;
    }
    say(text);
}

} // namespace akgen::twin
