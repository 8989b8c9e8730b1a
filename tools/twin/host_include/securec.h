// The bounded forms of the C library's functions, as the vendor's host code calls them: EOK or an error, and nothing
// is written beyond the buffer.
#ifndef AKGEN_SECUREC_H
#define AKGEN_SECUREC_H
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

using errno_t = int;
constexpr errno_t EOK = 0;
constexpr errno_t EINVAL_AND_RESET = 150;
constexpr errno_t ERANGE_AND_RESET = 162;
constexpr size_t SECUREC_MEM_MAX_LEN = 0x7fffffff;
constexpr size_t SECUREC_STRING_MAX_LEN = 0x7fffffff;

inline errno_t memset_s(void *to, size_t room, int value, size_t count)
{
    if (to == nullptr || room == 0 || room > SECUREC_MEM_MAX_LEN) {
        return EINVAL_AND_RESET;
    }
    std::memset(to, value, count < room ? count : room);
    return count > room ? ERANGE_AND_RESET : EOK;
}
inline errno_t memmove_s(void *to, size_t room, const void *from, size_t count)
{
    if (to == nullptr || room == 0 || room > SECUREC_MEM_MAX_LEN) {
        return EINVAL_AND_RESET;
    }
    if (from == nullptr || count > room) {
        std::memset(to, 0, room);
        return from == nullptr ? EINVAL_AND_RESET : ERANGE_AND_RESET;
    }
    std::memmove(to, from, count);
    return EOK;
}
inline errno_t memcpy_s(void *to, size_t room, const void *from, size_t count)
{
    return memmove_s(to, room, from, count);
}
inline errno_t strncpy_s(char *to, size_t room, const char *from, size_t count)
{
    if (to == nullptr || room == 0 || from == nullptr) {
        return EINVAL_AND_RESET;
    }
    const size_t length = strnlen(from, count);
    if (length >= room) {
        to[0] = '\0';
        return ERANGE_AND_RESET;
    }
    std::memmove(to, from, length);
    to[length] = '\0';
    return EOK;
}
inline errno_t strcpy_s(char *to, size_t room, const char *from)
{
    return strncpy_s(to, room, from, from == nullptr ? 0 : std::strlen(from));
}
inline errno_t strncat_s(char *to, size_t room, const char *from, size_t count)
{
    const size_t used = to == nullptr ? 0 : strnlen(to, room);
    return to == nullptr || used == room ? EINVAL_AND_RESET : strncpy_s(to + used, room - used, from, count);
}
inline errno_t strcat_s(char *to, size_t room, const char *from)
{
    return strncat_s(to, room, from, from == nullptr ? 0 : std::strlen(from));
}
inline int vsnprintf_s(char *to, size_t room, size_t count, const char *format, va_list arguments)
{
    if (to == nullptr || room == 0 || format == nullptr) {
        return -1;
    }
    const int length = std::vsnprintf(to, room, format, arguments);
    if (length >= 0 && static_cast<size_t>(length) < room && static_cast<size_t>(length) <= count) {
        return length;
    }
    to[length < 0 || count >= room ? 0 : count] = '\0';
    return -1;
}
inline int vsprintf_s(char *to, size_t room, const char *format, va_list arguments)
{
    return vsnprintf_s(to, room, room, format, arguments);
}
__attribute__((format(printf, 3, 4))) inline int sprintf_s(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_s(to, room, room, format, arguments);
    va_end(arguments);
    return length;
}
__attribute__((format(printf, 4, 5))) inline int snprintf_s(char *to, size_t room, size_t count, const char *format,
                                                            ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_s(to, room, count, format, arguments);
    va_end(arguments);
    return length;
}
#endif
