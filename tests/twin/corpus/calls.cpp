#include "kernel_operator.h"
#include "akgen/cube.h"
#include "akgen/vector.h"
using namespace AscendC;

namespace akgen::twin {
struct Draw {
    uint64_t state;
    uint8_t *pool[12];
};
static Draw draw;

__aicore__ static uint64_t random_bits()
{
    draw.state = draw.state * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t mixed = draw.state ^ draw.state >> 29;
    mixed *= 0xbf58476d1ce4e5b9ull;
    return mixed ^ mixed >> 32;
}

__aicore__ static uint64_t word()
{
    static const uint64_t special[] = {
        0, 1, 2, 8, 15, 31, 32, 33, 64, 255, 256, 4096, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff,
        0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, ~0ull - 31, 0x7ff8000000000000, 0x7fc00000,
        0x7f0000000000, 0x0000010000000100, 0x0100010001000100, 0x0000000800000008};
    const uint64_t how = random_bits() % 8;
    if (how < 3) {
        return reinterpret_cast<uint64_t>(draw.pool[random_bits() % 12]) + (random_bits() % 4 == 0 ? random_bits() % 64 : 0);
    }
    if (how < 5) {
        return special[random_bits() % (sizeof special / sizeof special[0])];
    }
    return how == 5 ? random_bits() : how == 6 ? random_bits() % 512 : random_bits() % 8 * 32;
}

template <typename T> struct Any {
    __aicore__ static T make()
    {
        union Room {
            uint64_t words[(sizeof(T) + 7) / 8];
            T value;
            __aicore__ Room() {}
        } room;
        const bool views = random_bits() % 4 != 0; // a sound on-chip place and a size, as structures begin with
        for (uint64_t i = 0; i < (sizeof(T) + 7) / 8; ++i) {
            room.words[i] = sizeof(T) == 1 ? random_bits() % (random_bits() % 4 ? 16 : 256) : word();
        }
        if (views && sizeof(T) == 16) {
            room.words[0] = reinterpret_cast<uint64_t>(draw.pool[4 + random_bits() % 2]);
            room.words[1] = 4096;
        }
        return room.value;
    }
};
template <typename T> struct Any<T &> {
    __aicore__ static T &make()
    {
        static typename Any<const T>::Kept kept;
        return random_bits() % 4 ? kept.fill() : *reinterpret_cast<T *>(word());
    }
};
template <typename T> struct Any<const T> {
    struct Kept {
        uint64_t words[(sizeof(T) + 7) / 8];
        __aicore__ T &fill()
        {
            for (uint64_t &w : words) {
                w = word();
            }
            return *reinterpret_cast<T *>(words);
        }
    };
    __aicore__ static T make() { return Any<T>::make(); }
};
template <typename T> struct Any<const T &> {
    __aicore__ static const T &make() { return Any<T &>::make(); }
};
template <typename T> __aicore__ static T any() { return Any<T>::make(); }

__aicore__ static void one(uint64_t which)
{
    switch (which) {
    // CASES
    }
}
} // namespace akgen::twin

extern "C" __global__ __aicore__ void corpus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 16384);
    auto *ub = reinterpret_cast<uint8_t *>(buffer.Get<float>().GetPhyAddr());
    static uint8_t own[256];
    uint8_t here[64];
    using akgen::twin::draw;
    const auto *seed = reinterpret_cast<__gm__ uint32_t *>(x);
    draw.state = (uint64_t{seed[0]} << 32 | seed[1]) * 2 + 1;
    uint8_t *const pool[] = {nullptr, x, y, workspace, ub, ub + 4096, ub + 196608 - 32, own, here, tiling,
                             reinterpret_cast<uint8_t *>(__builtin_thread_pointer()),
                             reinterpret_cast<uint8_t *>(&akgen::twin::one)};
    for (int i = 0; i < 12; ++i) {
        draw.pool[i] = pool[i];
    }
    for (int i = 0; i < 4; ++i) {
        akgen::twin::random_bits();
    }
    for (int i = 0; i < 6; ++i) {
        akgen::twin::one((i == 0 ? seed[1] : akgen::twin::random_bits()) % COUNT);
    }
}
