// The device library that lowered kernels draw from. A section starts with `// tile:` and its name, then what it needs.

// tile: TileInt
__aicore__ inline int64_t TileCeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

__aicore__ inline int64_t TileAlignUp(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

__aicore__ inline int64_t TileMin(int64_t a, int64_t b) { return a < b ? a : b; }

__aicore__ inline int64_t TileMax(int64_t a, int64_t b) { return a < b ? b : a; }

// tile: TileFloat
__aicore__ inline float TileMinFloat(float a, float b) { return a < b ? a : b; }

__aicore__ inline float TileMaxFloat(float a, float b) { return a < b ? b : a; }

// tile: TileVectorCores
// The vector cores of a launch whose cube cores have some each.
__aicore__ inline int64_t TileVectorCores() { return GetBlockNum() * GetTaskRation(); }

// tile: TileLargest
constexpr float TILE_LARGEST = 3.4028234663852886e+38f; // the largest finite float

// tile: TileInfinity
__aicore__ inline float TileInfinity()
{
    union {
        uint32_t bits;
        float value;
    } word = {0x7F800000U};
    return word.value;
}

// tile: TileSizes
// Size in bytes of the narrowest and the widest of some types.
template <typename T, typename... Rest> struct TileNarrowest {
    static constexpr int64_t value =
        sizeof(T) < TileNarrowest<Rest...>::value ? sizeof(T) : TileNarrowest<Rest...>::value;
};

template <typename T> struct TileNarrowest<T> {
    static constexpr int64_t value = sizeof(T);
};

template <typename T, typename... Rest> struct TileWidest {
    static constexpr int64_t value = sizeof(T) > TileWidest<Rest...>::value ? sizeof(T) : TileWidest<Rest...>::value;
};

template <typename T> struct TileWidest<T> {
    static constexpr int64_t value = sizeof(T);
};

// tile: TileBytes TileInt
// Bytes of a buffer, in whole vector instructions (256 bytes).
__aicore__ inline uint32_t TileBytes(int64_t elements, int64_t size)
{
    return static_cast<uint32_t>(TileAlignUp(elements * size, 256));
}

// tile: TileMaskBytes TileInt
// Bytes of a mask: one bit per element.
__aicore__ inline uint32_t TileMaskBytes(int64_t elements)
{
    return static_cast<uint32_t>(TileAlignUp(TileAlignUp(elements, 256) / 8, 256));
}

// tile: TileNative
// What is computed in: half as it is, all else in float.
template <typename T> struct TileNativeOf {
    using Type = float;
};

template <> struct TileNativeOf<half> {
    using Type = half;
};

template <typename T> using TileNative = typename TileNativeOf<T>::Type;

// tile: TileStored
// bool is moved and converted as uint8_t.
template <typename T> struct TileStored {
    using Type = T;
};

template <> struct TileStored<bool> {
    using Type = uint8_t;
};

// tile: TileScalar
// One element of global memory as a float.
template <typename T> __aicore__ inline float TileScalar(const GlobalTensor<T> &tensor, int64_t index)
{
    if constexpr (std::is_same<T, bfloat16_t>::value) {
        return ToFloat(tensor.GetValue(index));
    } else {
        return static_cast<float>(tensor.GetValue(index));
    }
}

// tile: TileElement
// One element of a tile as a scalar: the scalar unit waits for the vector unit.
template <typename T> __aicore__ inline T TileElement(const LocalTensor<T> &tile, int64_t index)
{
    event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(done);
    WaitFlag<HardEvent::V_S>(done);
    return tile.GetValue(static_cast<uint32_t>(index));
}

// tile: TileWaitFor
// The second pipe of the event goes on when the first has done what it was given so far.
template <HardEvent event> __aicore__ inline void TileWaitFor()
{
    event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    SetFlag<event>(done);
    WaitFlag<event>(done);
}

// tile: TileWaitStores
// What this core has stored so far is visible to its own loads.
__aicore__ inline void TileWaitStores()
{
    event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_MTE2));
    SetFlag<HardEvent::MTE3_MTE2>(done);
    WaitFlag<HardEvent::MTE3_MTE2>(done);
}
