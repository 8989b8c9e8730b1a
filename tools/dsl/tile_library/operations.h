// Binary operations as types, for TileColumnOp and TileRowOp.

// tile: TileOpAdd
struct TileOpAdd {
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      int32_t count)
    {
        Add(d, a, b, count);
    }
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      uint64_t mask, uint8_t repeat, const BinaryRepeatParams &s)
    {
        Add(d, a, b, mask, repeat, s);
    }
};

// tile: TileOpSub
struct TileOpSub {
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      int32_t count)
    {
        Sub(d, a, b, count);
    }
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      uint64_t mask, uint8_t repeat, const BinaryRepeatParams &s)
    {
        Sub(d, a, b, mask, repeat, s);
    }
};

// tile: TileOpMul
struct TileOpMul {
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      int32_t count)
    {
        Mul(d, a, b, count);
    }
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      uint64_t mask, uint8_t repeat, const BinaryRepeatParams &s)
    {
        Mul(d, a, b, mask, repeat, s);
    }
};

// tile: TileOpDiv
struct TileOpDiv {
    static __aicore__ inline void Run(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &b, int32_t count)
    {
        Div(d, a, b, count);
    }
    static __aicore__ inline void Run(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &b, uint64_t mask, uint8_t repeat,
                                      const BinaryRepeatParams &s)
    {
        Div(d, a, b, mask, repeat, s);
    }
};

// tile: TileOpMax
struct TileOpMax {
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      int32_t count)
    {
        Max(d, a, b, count);
    }
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      uint64_t mask, uint8_t repeat, const BinaryRepeatParams &s)
    {
        Max(d, a, b, mask, repeat, s);
    }
};

// tile: TileOpMin
struct TileOpMin {
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      int32_t count)
    {
        Min(d, a, b, count);
    }
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      uint64_t mask, uint8_t repeat, const BinaryRepeatParams &s)
    {
        Min(d, a, b, mask, repeat, s);
    }
};

// tile: TileOpSubReversed
struct TileOpSubReversed {
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      int32_t count)
    {
        Sub(d, b, a, count);
    }
    template <typename T>
    static __aicore__ inline void Run(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                      uint64_t mask, uint8_t repeat, const BinaryRepeatParams &s)
    {
        Sub(d, b, a, mask, repeat,
            BinaryRepeatParams{s.dstBlkStride, s.src1BlkStride, s.src0BlkStride, s.dstRepStride, s.src1RepStride,
                               s.src0RepStride});
    }
};

// tile: TileOpDivReversed
struct TileOpDivReversed {
    static __aicore__ inline void Run(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &b, int32_t count)
    {
        Div(d, b, a, count);
    }
    static __aicore__ inline void Run(const LocalTensor<float> &d, const LocalTensor<float> &a,
                                      const LocalTensor<float> &b, uint64_t mask, uint8_t repeat,
                                      const BinaryRepeatParams &s)
    {
        Div(d, b, a, mask, repeat,
            BinaryRepeatParams{s.dstBlkStride, s.src1BlkStride, s.src0BlkStride, s.dstRepStride, s.src1RepStride,
                               s.src0RepStride});
    }
};
