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
