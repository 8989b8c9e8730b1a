// State that each core has for itself and that begins anew with it, kept where it is used: as a variable of the thread,
// which runs one core after the other.
#pragma once
#include "core.h"

#pragma GCC visibility push(hidden)
namespace akgen::twin {

template <typename T> class OfCore {
public:
    T &operator*()
    {
        if (core_ != self->serial) {
            value_ = T{};
            core_ = self->serial;
        }
        return value_;
    }
    T *operator->() { return &**this; }

private:
    uint64_t core_ = 0;
    T value_{};
};

} // namespace akgen::twin
#pragma GCC visibility pop
