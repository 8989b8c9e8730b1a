// What a Matmul object keeps, and the products that it asks the runtime for.
#pragma once
#include "akgen/cube.h"
#include "ascendc/matmul_types.h"
#include "ascendc/queue.h"

namespace AscendC {
namespace detail {

template <typename T, typename... Allowed> constexpr bool matmul_one_of = (std::is_same_v<T, Allowed> || ...);
// Checked where a product is asked for: code for other types may name an object that it never uses.
template <typename A, typename B, typename C> constexpr void matmul_takes()
{
    static_assert(std::is_same_v<A, B> &&
                      ((matmul_one_of<A, half, bfloat16_t, float> &&
                        matmul_one_of<C, float, half, bfloat16_t, int8_t, uint8_t>) ||
                       (matmul_one_of<A, int8_t, int4b_t> && matmul_one_of<C, int32_t, half, int8_t, uint8_t>)),
                  "AKGEN:DTYPE_UNSUPPORTED: Matmul does not take these dtypes on Ascend910B; supported (A and B of one "
                  "type -> C): half, "
                  "bfloat16_t, float -> float, half, bfloat16_t, int8_t, uint8_t; int8_t, int4b_t -> int32_t, half, "
                  "int8_t, uint8_t");
}
template <typename A, typename Bias> constexpr void matmul_bias_takes()
{
    static_assert(matmul_one_of<A, int8_t, int4b_t> ? std::is_same_v<Bias, int32_t>
                                                    : matmul_one_of<Bias, float, half, bfloat16_t>,
                  "AKGEN:DTYPE_UNSUPPORTED: Matmul does not take a bias of this dtype on Ascend910B; supported (A -> "
                  "bias): half, "
                  "bfloat16_t, float -> float, half, bfloat16_t; int8_t, int4b_t -> int32_t");
}

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto &MM_CFG, Part part, class CB>
class MatmulCore {
protected:
    using SrcT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;

    struct Block {
        uint32_t row, column, m, n;
        uint32_t k_begin = 0, k = 0; // 0: the whole of k
    };
    static constexpr bool sliced = config_of(MM_CFG).isPartialOutput; // a block of C for each baseK, not their sum
    static_assert(!sliced || config_of(MM_CFG).doMultiDataLoad,
                  "AKGEN:WRONG_ARGUMENTS: isPartialOutput belongs to CFG_MDL");
    struct Operand {
        uint8_t *data = nullptr;
        uint32_t limit = 0;
        bool transposed = false;
    };
    static constexpr akgen::twin::DType type_c = dtype_of<DstT>();
    static constexpr bool fractal(CubeFormat format) { return format == CubeFormat::NZ; }
    // What a kernel has brought to L1 has the order of L1, but for a single row.
    template <class TYPE> static constexpr bool fractal_type()
    {
        return fractal(TYPE::format) || (TYPE::pos == TPosition::TSCM && TYPE::format != CubeFormat::VECTOR);
    }

    AKGEN_INLINE void restart() { step_ = -1; }
    AKGEN_INLINE void set(Operand &operand, uint8_t *data, uint32_t limit, bool transposed)
    {
        akgen::twin::matmul_require(registered_, true);
        operand = {data, limit, transposed};
        restart();
    }
    AKGEN_INLINE uint32_t base_m() const { return tiling_.baseM > 0 ? static_cast<uint32_t>(tiling_.baseM) : m_; }
    AKGEN_INLINE uint32_t base_n() const { return tiling_.baseN > 0 ? static_cast<uint32_t>(tiling_.baseN) : n_; }
    AKGEN_INLINE uint32_t blocks_m() const { return m_ ? (m_ + base_m() - 1) / base_m() : 0; }
    AKGEN_INLINE uint32_t blocks_n() const { return n_ ? (n_ + base_n() - 1) / base_n() : 0; }
    // One Iterate<false> serves all GetTensorC<false>: each goes to the next block.
    template <bool sync> AKGEN_INLINE Block current()
    {
        const uint32_t step = step_ > 0 ? static_cast<uint32_t>(step_) : 0;
        if (!sync) {
            ++step_;
            skip();
        }
        untaken_.object = nullptr;
        return block_of(step);
    }
    // False after the last block: then the blocks begin again.
    AKGEN_INLINE bool next_block()
    {
        ++step_;
        skip();
        if (step_ < static_cast<int32_t>(steps())) {
            return true;
        }
        restart();
        return false;
    }
    AKGEN_INLINE uint32_t slices() const
    {
        const auto base_k = tiling_.baseK > 0 ? static_cast<uint32_t>(tiling_.baseK) : k_;
        return sliced && k_ ? (k_ + base_k - 1) / base_k : 1;
    }
    AKGEN_INLINE uint32_t steps() const { return blocks_m() * blocks_n() * slices(); }
    // Past the blocks that lie wholly on the other side of the diagonal.
    AKGEN_INLINE void skip()
    {
        if constexpr (part != Part::whole) {
            for (; step_ < static_cast<int32_t>(steps()); ++step_) {
                const Block b = block_of(static_cast<uint32_t>(step_));
                if (part == Part::upper ? b.row < b.column + b.n : b.column < b.row + b.m) {
                    break;
                }
            }
        }
    }
    AKGEN_INLINE Block block_of(uint32_t number) const
    {
        const uint32_t step = number / slices(), base_k = sliced ? static_cast<uint32_t>(tiling_.baseK) : 0,
                       begin = number % slices() * base_k;
        const bool by_rows = tiling_.iterateOrder == static_cast<int32_t>(IterateOrder::ORDER_N);
        const uint32_t row = (by_rows ? step / blocks_n() : step % blocks_m()) * base_m();
        const uint32_t column = (by_rows ? step % blocks_n() : step / blocks_m()) * base_n();
        return {row,
                column,
                m_ - row < base_m() ? m_ - row : base_m(),
                n_ - column < base_n() ? n_ - column : base_n(),
                begin,
                k_ - begin < base_k ? k_ - begin : base_k};
    }
    AKGEN_INLINE uint64_t c_stride() const
    {
        return fractal(C_TYPE::format)                  ? org_m_
               : C_TYPE::format == CubeFormat::ND_ALIGN ? filled<DstT>(org_kc_)
                                                        : org_kc_;
    }
    AKGEN_INLINE uint64_t detail_offset(const Block &block) const
    {
        if constexpr (fractal(C_TYPE::format)) {
            constexpr bool split = config_of(MM_CFG).isEnableChannelSplit && std::is_same_v<DstT, float>;
            constexpr uint64_t c0 = sizeof(DstT) == 1 ? 32 : split ? 8 : 16;
            return uint64_t{block.column} * ((org_m_ + 15) / 16 * 16) + block.row * c0;
        } else {
            return block.row * c_stride() + block.column;
        }
    }
    // Rows of a block that stands alone are filled up to 32 bytes.
    AKGEN_INLINE uint64_t base_stride(const Block &block) const
    {
        const uint64_t unit = 32 / sizeof(DstT);
        return fractal(C_TYPE::format) ? block.m : (block.n + unit - 1) / unit * unit;
    }
    AKGEN_INLINE akgen::twin::Product product(const Block &block, const akgen::twin::Stored &c, uint8_t atomic) const
    {
        matmul_takes<SrcT, SrcBT, DstT>();
        akgen::twin::Product p{};
        p.object = this;
        p.a = {a_.data, dtype_of<SrcT>(), fractal_type<A_TYPE>(), a_.transposed, stride_a(), a_.limit};
        p.b = {b_.data, dtype_of<SrcBT>(), fractal_type<B_TYPE>(), b_.transposed, stride_b(), b_.limit};
        (a_.transposed ? p.a.column : p.a.row) = block.row;
        (b_.transposed ? p.b.row : p.b.column) = block.column;
        (a_.transposed ? p.a.row : p.a.column) = block.k_begin;
        (b_.transposed ? p.b.column : p.b.row) = block.k_begin;
        p.c = c;
        p.bias_type = akgen::twin::DType::NONE;
        if (bias_ != nullptr) {
            p.bias = {bias_ + uint64_t{block.column} * sizeof(BiasT), 0};
            p.bias_type = dtype_of<BiasT>();
        }
        p.m = block.m;
        p.n = block.n;
        p.k = block.k ? block.k : k_;
        p.base_m = base_m();
        p.base_n = base_n();
        p.base_k = tiling_.baseK > 0 ? static_cast<uint32_t>(tiling_.baseK) : 0;
        p.depth_a = tiling_.depthA1 > 0 ? static_cast<uint32_t>(tiling_.depthA1) : 0;
        p.depth_b = tiling_.depthB1 > 0 ? static_cast<uint32_t>(tiling_.depthB1) : 0;
        if constexpr (config_of(MM_CFG).doMultiDataLoad) {
            p.step_a = tiling_.stepKa > 0 ? static_cast<uint32_t>(tiling_.stepKa) : 0;
            p.step_b = tiling_.stepKb > 0 ? static_cast<uint32_t>(tiling_.stepKb) : 0;
        }
        p.unit_flag = config_of(MM_CFG).enUnitFlag;
        p.atomic = atomic;
        p.add_to_last = partial_;
        p.split_channels = config_of(MM_CFG).isEnableChannelSplit;
        p.hf32 = hf32_;
        p.scale = scale_;
        if (scales_.data != nullptr) {
            p.scales = {scales_.data + uint64_t{block.column} * 8, 0};
        }
        return p;
    }
    AKGEN_INLINE uint64_t stride_a() const
    {
        if constexpr (A_TYPE::layout == LayoutMode::BSNGD || A_TYPE::layout == LayoutMode::SBNGD) {
            return static_cast<uint64_t>(tiling_.ALayoutInfoN) * tiling_.ALayoutInfoG * tiling_.ALayoutInfoD *
                   (A_TYPE::layout == LayoutMode::SBNGD ? tiling_.ALayoutInfoB : 1);
        }
        if (A_TYPE::pos == TPosition::TSCM && fractal_type<A_TYPE>()) { // it stands alone
            return a_.transposed ? k_ : m_;
        }
        if (fractal(A_TYPE::format)) {
            return a_.transposed ? org_ka_ : org_m_;
        }
        if (A_TYPE::format == CubeFormat::VECTOR) {
            return k_;
        }
        if (a_.limit) { // on the chip it stands alone
            return filled<SrcT>(a_.transposed ? m_ : k_);
        }
        return a_.transposed ? org_m_ : org_ka_;
    }
    AKGEN_INLINE uint64_t stride_b() const
    {
        if constexpr (B_TYPE::layout == LayoutMode::BSNGD || B_TYPE::layout == LayoutMode::SBNGD) {
            return static_cast<uint64_t>(tiling_.BLayoutInfoN) * tiling_.BLayoutInfoG * tiling_.BLayoutInfoD *
                   (B_TYPE::layout == LayoutMode::SBNGD ? tiling_.BLayoutInfoB : 1);
        }
        if (B_TYPE::pos == TPosition::TSCM && fractal_type<B_TYPE>()) {
            return b_.transposed ? n_ : k_;
        }
        if (fractal(B_TYPE::format)) {
            return b_.transposed ? org_n_ : org_kb_;
        }
        if (b_.limit) {
            return filled<SrcBT>(b_.transposed ? k_ : n_);
        }
        return b_.transposed ? org_kb_ : org_n_;
    }
    template <typename T> static AKGEN_INLINE uint64_t filled(uint32_t count)
    {
        const uint64_t unit = storage_elements<T>(32);
        return (count + unit - 1) / unit * unit;
    }
    // Where functions of the kernel bring A or B to L1: the last of it holds a base block of each.
    static constexpr uint32_t brought_bytes = 64 << 10, brought_at = (512 << 10) - 2 * brought_bytes;
    AKGEN_INLINE akgen::twin::Stored brought(const LocalTensor<int8_t> &l1, const Operand &from,
                                             akgen::twin::DType type, uint32_t rows, uint32_t columns) const
    {
        return {l1.GetAddr().data, type, true, from.transposed, from.transposed ? columns : rows, brought_bytes};
    }
    // One base block of C from base blocks along k.
    AKGEN_INLINE void ask_in_parts(const Block &block, const akgen::twin::Stored &c, uint8_t atomic, const char *api,
                                   bool sync)
    {
        const uint32_t base_k = tiling_.baseK > 0 ? static_cast<uint32_t>(tiling_.baseK) : k_;
        const uint32_t first = block.k ? block.k_begin / base_k : 0, end = block.k ? block.k_begin + block.k : k_;
        for (uint32_t number = first; number * base_k < end; ++number) {
            Block slice = block;
            slice.k_begin = number * base_k;
            slice.k = end - slice.k_begin < base_k ? end - slice.k_begin : base_k;
            akgen::twin::Product p = product(slice, c, atomic);
            const int row = static_cast<int>(block.row / base_m()), column = static_cast<int>(block.column / base_n()),
                      at = static_cast<int>(number);
            if constexpr (CB::copy_a != nullptr) {
                LocalTensor<int8_t> l1(TPosition::A1, brought_at, brought_bytes);
                CB::copy_a(l1, reinterpret_cast<const __gm__ void *>(a_.data), row, at, static_cast<int>(block.m),
                           static_cast<int>(slice.k), user_info_, user_data_);
                p.a = brought(l1, a_, dtype_of<SrcT>(), block.m, slice.k);
            }
            if constexpr (CB::copy_b != nullptr) {
                LocalTensor<int8_t> l1(TPosition::B1, brought_at + brought_bytes, brought_bytes);
                CB::copy_b(l1, reinterpret_cast<const __gm__ void *>(b_.data), at, column, static_cast<int>(slice.k),
                           static_cast<int>(block.n), user_info_, user_data_);
                p.b = brought(l1, b_, dtype_of<SrcBT>(), slice.k, block.n);
            }
            p.add_to_last = partial_ || number > first;
            p.kept = slice.k_begin + slice.k < end;
            akgen::twin::matmul(p, api, sync);
        }
    }
    AKGEN_INLINE void ask(const Block &block, const akgen::twin::Stored &c, uint8_t atomic, const char *api, bool sync)
    {
        if constexpr (CB::none) {
            akgen::twin::matmul(product(block, c, atomic), api, sync);
        } else {
            ask_in_parts(block, c, atomic, api, sync);
        }
    }
    // The whole of C, or its blocks on one side of the diagonal.
    AKGEN_INLINE void all_blocks(const akgen::twin::Stored &c, uint8_t atomic, bool sync)
    {
        static_assert(!sliced, "AKGEN:WRONG_ARGUMENTS: with isPartialOutput blocks come from Iterate and GetTensorC");
        if constexpr (part == Part::whole && CB::none) {
            akgen::twin::matmul(product({0, 0, m_, n_}, c, atomic), "IterateAll", sync);
        } else {
            for (restart(); next_block();) {
                const Block block = block_of(static_cast<uint32_t>(step_));
                const uint64_t c0 = sizeof(DstT) == 1 ? 32 : 16;
                const uint64_t offset = c.fractal ? block.column * ((c.stride + 15) / 16 * 16) + block.row * c0
                                                  : block.row * c.stride + block.column;
                akgen::twin::Stored to = c;
                to.data += offset * sizeof(DstT);
                to.limit_bytes -= c.limit_bytes ? static_cast<uint32_t>(offset * sizeof(DstT)) : 0;
                ask(block, to, atomic, "IterateAll", sync);
            }
        }
    }
    struct Batch {
        uint8_t *c;
        uint32_t limit, count_a, count_b, step_a, step_b, step_c;
        uint8_t atomic;
        bool sync;
        const char *api;
        uint32_t turn = 0; // of batches that follow each other
    };
    // Elements from matrix to matrix of a batch: fractals are whole.
    template <class TYPE, typename T> static AKGEN_INLINE uint64_t size_of(uint64_t rows, uint64_t columns)
    {
        if constexpr (fractal_type<TYPE>()) {
            const uint64_t c0 = storage_elements<T>(32);
            return (rows + 15) / 16 * 16 * ((columns + c0 - 1) / c0 * c0);
        } else {
            return rows * columns;
        }
    }
    static constexpr bool interleaved(LayoutMode layout)
    {
        return layout == LayoutMode::BSNGD || layout == LayoutMode::SBNGD;
    }
    // Where matrix number `index` begins: `heads` lie side by side, `wide` elements each, in each of `deep` rows.
    template <LayoutMode layout>
    static AKGEN_INLINE uint64_t matrix_at(uint64_t index, uint32_t step, uint64_t size, uint64_t heads, uint64_t deep,
                                           uint64_t wide)
    {
        if (step > 0) {
            return index * step;
        }
        if constexpr (layout == LayoutMode::BSNGD) {
            return index / heads * heads * deep * wide + index % heads * wide;
        } else if constexpr (layout == LayoutMode::SBNGD) {
            return index * wide;
        } else {
            return index * size;
        }
    }
    static AKGEN_INLINE uint64_t times(int32_t a, int32_t b)
    {
        return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    }
    AKGEN_INLINE void batches(const Batch &batch)
    {
        static_assert(CB::none, "AKGEN:NOT_SIMULATED: the twin calls no MatmulCallBackFunc for batches");
        const uint64_t count = batch.count_a > batch.count_b ? batch.count_a : batch.count_b,
                       first = batch.turn * count;
        const uint64_t first_a = uint64_t{batch.turn} * batch.count_a, first_b = uint64_t{batch.turn} * batch.count_b;
        const Operand a = a_, b = b_;
        uint8_t *const bias = bias_;
        const auto &t = tiling_;
        uint64_t stride = batch.limit ? base_stride({0, 0, m_, n_}) : n_;
        if constexpr (interleaved(C_TYPE::layout)) {
            stride = times(t.CLayoutInfoN, t.CLayoutInfoG) * n_ *
                     (C_TYPE::layout == LayoutMode::SBNGD ? static_cast<uint64_t>(t.CLayoutInfoB) : 1);
        }
        const uint32_t om = org_m_, on = org_n_, oka = org_ka_, okb = org_kb_;
        org_m_ = m_; // each matrix stands for itself
        org_n_ = n_;
        org_ka_ = org_kb_ = k_;
        for (uint64_t i = 0; i < count; ++i) {
            a_.data = a.data + storage_bytes<SrcT>(matrix_at<A_TYPE::layout>(
                                   first_a + i * batch.count_a / count, batch.step_a,
                                   a_.transposed ? size_of<A_TYPE, SrcT>(k_, m_) : size_of<A_TYPE, SrcT>(m_, k_),
                                   times(t.ALayoutInfoN, t.ALayoutInfoG), static_cast<uint64_t>(t.ALayoutInfoS),
                                   static_cast<uint64_t>(t.ALayoutInfoD)));
            b_.data = b.data + storage_bytes<SrcBT>(matrix_at<B_TYPE::layout>(
                                   first_b + i * batch.count_b / count, batch.step_b,
                                   b_.transposed ? size_of<B_TYPE, SrcBT>(n_, k_) : size_of<B_TYPE, SrcBT>(k_, n_),
                                   times(t.BLayoutInfoN, t.BLayoutInfoG), static_cast<uint64_t>(t.BLayoutInfoS),
                                   static_cast<uint64_t>(t.BLayoutInfoD)));
            if (bias != nullptr && config_of(MM_CFG).isBiasBatch) {
                bias_ = bias + (first + i) * n_ * sizeof(BiasT);
            }
            uint8_t *const c =
                batch.c + sizeof(DstT) * matrix_at<C_TYPE::layout>(first + i, batch.step_c, m_ * stride,
                                                                   times(t.CLayoutInfoN, t.CLayoutInfoG), m_, n_);
            akgen::twin::matmul(
                product({0, 0, m_, n_}, {c, type_c, fractal(C_TYPE::format), false, stride, batch.limit}, batch.atomic),
                batch.api, batch.sync);
        }
        a_ = a;
        b_ = b;
        bias_ = bias;
        org_m_ = om;
        org_n_ = on;
        org_ka_ = oka;
        org_kb_ = okb;
    }

    TCubeTiling tiling_{};
    bool registered_ = false, with_bias_ = false;
    Operand a_, b_;
    uint8_t *bias_ = nullptr;
    uint64_t scale_ = 0x3f800000; // 1.0
    uint8_t *workspace_ = nullptr;
    akgen::twin::View scales_ = {nullptr, 0};
    uint32_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0;
    uint32_t m_ = 0, n_ = 0, k_ = 0;
    uint32_t batch_a_ = 1, batch_b_ = 1;
    int32_t step_ = -1;
    uint8_t hf32_ = 0;
    bool partial_ = false;
    uint64_t user_info_ = 0, user_data_ = 0; // for functions of the kernel
    akgen::twin::Product untaken_{}; // where Iterate has gone to; an object of nullptr: GetTensorC has asked for it
};

} // namespace detail
} // namespace AscendC
