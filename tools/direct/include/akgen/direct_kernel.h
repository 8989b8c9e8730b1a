// The device's side of a launch: unpack the arguments (see direct_launch.h) and call the kernel.
#pragma once
#include "kernel_operator.h"

namespace akgen::direct {

template <typename T> struct IsAddress {
    static constexpr bool value = false;
};
template <typename T> struct IsAddress<T *> {
    static constexpr bool value = true;
};

template <typename T> __aicore__ inline constexpr uint32_t slot_bytes()
{
    return IsAddress<T>::value ? 16 : (sizeof(T) + 7) / 8 * 8;
}

template <typename T> struct IsDouble {
    static constexpr bool value = false;
};
template <> struct IsDouble<double> {
    static constexpr bool value = true;
};

// Structures and integers of 64 bits; direct_launch.h says the same.
template <typename T> constexpr bool may_hold_addresses = !IsAddress<T>::value && !IsDouble<T>::value && sizeof(T) >= 8;

// Give the addresses within arguments the values that they have here.
__aicore__ inline void place_held_addresses(uint8_t *slots, GM_ADDR held, GM_ADDR const *memory)
{
    int64_t count = 0;
    akgen::twin::read_tiling(&count, held, sizeof count);
    for (int64_t i = 0; i < count; ++i) {
        int64_t one[3]; // where, which memory, how far into it
        akgen::twin::read_tiling(one, held + sizeof count + i * sizeof one, sizeof one);
        GM_ADDR const address = memory[one[1]] + one[2];
        __builtin_memcpy(slots + one[0], &address, sizeof address);
    }
}

template <typename T> __aicore__ inline T argument(const uint8_t *slot, GM_ADDR const *memory)
{
    T value;
    if constexpr (IsAddress<T>::value) {
        int64_t words[2];
        __builtin_memcpy(words, slot, sizeof words);
        value = words[0] < 0 ? nullptr : reinterpret_cast<T>(memory[words[0]] + words[1]);
    } else {
        __builtin_memcpy(&value, slot, sizeof value);
    }
    return value;
}

template <auto kernel> struct Entry;
template <typename... P, void (*kernel)(P...)> struct Entry<kernel> {
    static constexpr uint32_t bytes = (0 + ... + slot_bytes<P>());
    __aicore__ static inline void call(GM_ADDR const *memory, GM_ADDR blob)
    {
        uint8_t slots[bytes == 0 ? 8 : bytes];
        if constexpr (bytes > 0) {
            akgen::twin::read_tiling(slots, blob, bytes);
        }
        if constexpr ((false || ... || may_hold_addresses<P>)) {
            place_held_addresses(slots, blob + bytes, memory);
        }
        uint32_t next = 0;
        // Braces keep the order of evaluation.
        Passed passed{Take<P>{slots, &next, memory}.value()...};
        (void)passed;
    }

private:
    template <typename T> struct Take {
        const uint8_t *slots;
        uint32_t *next;
        GM_ADDR const *memory;
        __aicore__ inline T value() const
        {
            const uint32_t at = *next;
            *next += slot_bytes<T>();
            return argument<T>(slots + at, memory);
        }
    };
    struct Passed {
        __aicore__ inline explicit Passed(P... values) { kernel(values...); }
    };
};

} // namespace akgen::direct
