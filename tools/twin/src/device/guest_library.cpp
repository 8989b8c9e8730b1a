// What the compiler calls by itself, and __builtin_memcpy and the like: checked, counted in words, and done.
#include "core.h"
#include "guest_calls.h"
#include <cstring>

#if defined(__x86_64__)
#define AKGEN_GUEST extern "C" __attribute__((visibility("default")))

namespace akgen::twin {

namespace {
uint64_t number(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

void *move(void *to, const void *from, size_t bytes, const void *pc)
{
    self->guest.work += bytes / 8;
    guest_access(number(from), bytes, false, pc);
    guest_access(number(to), bytes, true, pc);
    return std::memmove(to, from, bytes);
}

// Quotient and rest of wide integers. By zero both are zero, as of narrower ones: see skip_division in trap.cpp.
template <typename T> T divide(T a, T b, T *rest, const void *pc)
{
    self->guest.work += 4 * 8; // four divisions of half the width
    if (rest) {
        guest_access(number(rest), sizeof *rest, true, pc);
    }
    if (b == 0) {
        warn("SCALAR_DIVISION", "division", pc,
             "An integer is divided by zero; what the chip makes of it is not documented (0 here).");
    }
    const bool negates = T(-1) < T(0) && b == T(-1); // of the least number there is no such quotient
    const T quotient = b == 0 ? 0 : negates ? static_cast<T>(~static_cast<unsigned __int128>(a) + 1) : a / b;
    const T left = b == 0 || negates ? 0 : a % b;
    if (rest) {
        std::memcpy(rest, &left, sizeof left);
    }
    return quotient;
}
} // namespace

AKGEN_GUEST void *akgen_checked_memcpy(void *to, const void *from, size_t bytes)
{
    return move(to, from, bytes, __builtin_return_address(0));
}

AKGEN_GUEST void *akgen_checked_memmove(void *to, const void *from, size_t bytes)
{
    return move(to, from, bytes, __builtin_return_address(0));
}

AKGEN_GUEST void *akgen_checked_memset(void *to, int value, size_t bytes)
{
    self->guest.work += bytes / 8;
    guest_access(number(to), bytes, true, __builtin_return_address(0));
    return std::memset(to, value, bytes);
}

AKGEN_GUEST int akgen_checked_memcmp(const void *a, const void *b, size_t bytes)
{
    const void *pc = __builtin_return_address(0);
    self->guest.work += bytes / 8;
    guest_access(number(a), bytes, false, pc);
    guest_access(number(b), bytes, false, pc);
    return std::memcmp(a, b, bytes);
}

AKGEN_GUEST __int128 akgen_checked___divmodti4(__int128 a, __int128 b, __int128 *rest)
{
    return divide(a, b, rest, __builtin_return_address(0));
}

AKGEN_GUEST unsigned __int128 akgen_checked___udivmodti4(unsigned __int128 a, unsigned __int128 b,
                                                         unsigned __int128 *rest)
{
    return divide(a, b, rest, __builtin_return_address(0));
}

} // namespace akgen::twin
#endif
