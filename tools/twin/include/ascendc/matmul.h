// The high-level matrix product: Matmul objects of a vector core, whose block's cube core works for them.
#pragma once
#include "akgen/matmul.h"
#include "ascendc/kernel_macros.h"
#include "ascendc/matmul_types.h"
#include "ascendc/queue.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
class Matmul {
public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;
    using SrcT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;

    AKGEN_INLINE void Init(const TCubeTiling *__restrict tiling, TPipe * = nullptr)
    {
        akgen::twin::matmul_register(tiling);
        if (tiling == nullptr) {
            return;
        }
        tiling_ = *tiling;
        org_m_ = static_cast<uint32_t>(tiling_.M);
        org_n_ = static_cast<uint32_t>(tiling_.N);
        org_ka_ = static_cast<uint32_t>(tiling_.Ka);
        org_kb_ = static_cast<uint32_t>(tiling_.Kb);
        org_kc_ = org_n_;
        m_ = static_cast<uint32_t>(tiling_.singleCoreM);
        n_ = static_cast<uint32_t>(tiling_.singleCoreN);
        k_ = static_cast<uint32_t>(tiling_.singleCoreK);
        restart();
    }
    AKGEN_INLINE void SetSubBlockIdx(uint8_t) {}
    template <typename T> AKGEN_INLINE void SetUserDefInfo(T) {}
    template <typename T> AKGEN_INLINE void SetSelfDefineData(T) {}
    AKGEN_INLINE void SetHF32(bool enableHF32 = false, int32_t transMode = 0)
    {
        hf32_ = static_cast<uint8_t>(enableHF32 ? 1 + (transMode == 1) : 0);
    }

    AKGEN_INLINE void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK, orgN); }
    AKGEN_INLINE void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0)
    {
        org_m_ = static_cast<uint32_t>(orgM);
        org_n_ = static_cast<uint32_t>(orgN);
        org_ka_ = static_cast<uint32_t>(orgKa);
        org_kb_ = static_cast<uint32_t>(orgKb);
        org_kc_ = orgKc > 0 ? static_cast<uint32_t>(orgKc) : org_n_;
    }
    AKGEN_INLINE void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
    AKGEN_INLINE void SetTail(int tailM = -1, int tailN = -1, int tailK = -1)
    {
        m_ = tailM >= 0 ? static_cast<uint32_t>(tailM) : m_;
        n_ = tailN >= 0 ? static_cast<uint32_t>(tailN) : n_;
        k_ = tailK >= 0 ? static_cast<uint32_t>(tailK) : k_;
        restart();
    }

    AKGEN_INLINE void SetTensorA(const GlobalTensor<SrcT> &gm, bool isTransposeA = false)
    {
        set(a_, detail::address(gm), 0, isTransposeA);
    }
    AKGEN_INLINE void SetTensorA(const LocalTensor<SrcT> &leftMatrix, bool isTransposeA = false)
    {
        set(a_, leftMatrix.GetAddr().data, leftMatrix.GetAddr().limit, isTransposeA);
    }
    AKGEN_INLINE void SetTensorB(const GlobalTensor<SrcBT> &gm, bool isTransposeB = false)
    {
        set(b_, detail::address(gm), 0, isTransposeB);
    }
    AKGEN_INLINE void SetTensorB(const LocalTensor<SrcBT> &rightMatrix, bool isTransposeB = false)
    {
        set(b_, rightMatrix.GetAddr().data, rightMatrix.GetAddr().limit, isTransposeB);
    }
    AKGEN_INLINE void SetBias(const GlobalTensor<BiasT> &biasGlobal)
    {
        bias_ = detail::address(biasGlobal);
        restart();
    }
    AKGEN_INLINE void SetBias(const LocalTensor<BiasT> &inputBias)
    {
        bias_ = inputBias.GetAddr().data;
        restart();
    }
    AKGEN_INLINE void ClearBias() { bias_ = nullptr; }
    AKGEN_INLINE void DisableBias() { bias_ = nullptr; }
    AKGEN_INLINE void SetQuantScalar(const uint64_t quantScalar)
    {
        scale_ = quantScalar;
        scales_ = {nullptr, 0};
    }
    AKGEN_INLINE void SetQuantVector(const GlobalTensor<uint64_t> &quantTensor) { scales_ = {detail::address(quantTensor), 0}; }
    AKGEN_INLINE void SetQuantVector(const LocalTensor<uint64_t> &quantTensor) { scales_ = detail::view(quantTensor); }
    template <class T> AKGEN_INLINE void SetWorkspace(GlobalTensor<T> &) {}
    template <class T> AKGEN_INLINE void SetWorkspace(__gm__ const T *, int) {}
    AKGEN_INLINE void SetLocalWorkspace(const LocalTensor<uint8_t> &) {}
    AKGEN_INLINE void SetBatchNum(int32_t batchA, int32_t batchB)
    {
        batch_a_ = static_cast<uint32_t>(batchA);
        batch_b_ = static_cast<uint32_t>(batchB);
    }

    // Go to the next block of C; false when there is none. GetTensorC then gives the block.
    template <bool sync = true> AKGEN_INLINE bool Iterate(bool enPartialSum = false)
    {
        partial_ = enPartialSum;
        ++step_;
        if (step_ < static_cast<int32_t>(blocks_m() * blocks_n())) {
            return true;
        }
        restart();
        return false;
    }
    template <bool sync = true>
    AKGEN_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        const Block block = current<sync>();
        const uint64_t offset = enSequentialWrite ? 0 : detail_offset(block);
        akgen::twin::matmul(product(block, {detail::address(gm) + offset * sizeof(DstT), type_c, fractal(C_TYPE::format), false,
                                            enSequentialWrite ? base_stride(block) : c_stride(), 0}, enAtomic),
                            "GetTensorC", sync);
    }
    template <bool sync = true>
    AKGEN_INLINE void GetTensorC(const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0, bool enSequentialWrite = false)
    {
        const Block block = current<sync>();
        akgen::twin::matmul(product(block, {co2Local.GetAddr().data, type_c, fractal(C_TYPE::format), false, base_stride(block),
                                            co2Local.GetAddr().limit}, enAtomic),
                            "GetTensorC", sync);
    }
    template <bool sync = true>
    AKGEN_INLINE void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                                 bool enSequentialWrite = false)
    {
        const int32_t step = step_;
        GetTensorC<sync>(gm, enAtomic, enSequentialWrite);
        step_ = step;
        GetTensorC<sync>(co2Local, enAtomic, enSequentialWrite);
    }

    template <bool sync = true>
    AKGEN_INLINE void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                 bool waitIterateAll = false, bool fakeMsg = false)
    {
        akgen::twin::matmul(product({0, 0, m_, n_}, {detail::address(gm), type_c, fractal(C_TYPE::format), false, c_stride(), 0}, enAtomic),
                            "IterateAll", sync);
        restart();
    }
    template <bool sync = true> AKGEN_INLINE void IterateAll(const LocalTensor<DstT> &ubCmatrix, uint8_t enAtomic = 0)
    {
        const Block block{0, 0, m_, n_};
        akgen::twin::matmul(product(block, {ubCmatrix.GetAddr().data, type_c, fractal(C_TYPE::format), false, base_stride(block),
                                            ubCmatrix.GetAddr().limit}, enAtomic),
                            "IterateAll", sync);
        restart();
    }
    AKGEN_INLINE void WaitIterateAll() { akgen::twin::matmul_wait(); }
    AKGEN_INLINE void WaitGetTensorC() { akgen::twin::matmul_wait(); }
    AKGEN_INLINE void WaitIterateBatch() { akgen::twin::matmul_wait(); }

    // `batchC` products, one after another; matrices of A, B and C follow each other as their layouts say.
    template <bool sync = true, bool waitIterateBatch = false>
    AKGEN_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                                   const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                                   const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        batches(detail::address(gm), 0, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enAtomic, sync);
    }
    template <bool sync = true>
    AKGEN_INLINE void IterateBatch(const LocalTensor<DstT> &ubCmatrix, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                                   const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                                   const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        batches(ubCmatrix.GetAddr().data, ubCmatrix.GetAddr().limit, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enAtomic, sync);
    }
    AKGEN_INLINE void End() { restart(); }

private:
    struct Block {
        uint32_t row, column, m, n;
    };
    struct Operand {
        uint8_t *data = nullptr;
        uint32_t limit = 0;
        bool transposed = false;
    };
    static constexpr akgen::twin::DType type_c = detail::dtype_of<DstT>();
    static constexpr bool fractal(CubeFormat format) { return format == CubeFormat::NZ; }

    AKGEN_INLINE void restart() { step_ = -1; }
    AKGEN_INLINE void set(Operand &operand, uint8_t *data, uint32_t limit, bool transposed)
    {
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
        }
        const bool by_rows = tiling_.iterateOrder == static_cast<int32_t>(IterateOrder::ORDER_N);
        const uint32_t row = (by_rows ? step / blocks_n() : step % blocks_m()) * base_m();
        const uint32_t column = (by_rows ? step % blocks_n() : step / blocks_m()) * base_n();
        return {row, column, m_ - row < base_m() ? m_ - row : base_m(), n_ - column < base_n() ? n_ - column : base_n()};
    }
    AKGEN_INLINE uint64_t c_stride() const { return fractal(C_TYPE::format) ? org_m_ : org_kc_; }
    AKGEN_INLINE uint64_t detail_offset(const Block &block) const
    {
        if constexpr (fractal(C_TYPE::format)) {
            return uint64_t{block.column} * ((org_m_ + 15) / 16 * 16) + uint64_t{block.row} * 16;
        } else {
            return uint64_t{block.row} * org_kc_ + block.column;
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
        akgen::twin::Product p{};
        p.a = {a_.data, detail::dtype_of<SrcT>(), fractal(A_TYPE::format), a_.transposed, stride_a(), a_.limit};
        p.b = {b_.data, detail::dtype_of<SrcBT>(), fractal(B_TYPE::format), b_.transposed, stride_b(), b_.limit};
        p.a.data += start(p.a, block.row, true) * sizeof(SrcT);
        p.b.data += start(p.b, block.column, false) * sizeof(SrcBT);
        p.c = c;
        p.bias_type = akgen::twin::DType::NONE;
        if (bias_ != nullptr) {
            p.bias = {bias_ + uint64_t{block.column} * sizeof(BiasT), 0};
            p.bias_type = detail::dtype_of<BiasT>();
        }
        p.m = block.m;
        p.n = block.n;
        p.k = k_;
        p.base_m = base_m();
        p.base_n = base_n();
        p.base_k = tiling_.baseK > 0 ? static_cast<uint32_t>(tiling_.baseK) : 0;
        p.depth_a = tiling_.depthA1 > 0 ? static_cast<uint32_t>(tiling_.depthA1) : 0;
        p.depth_b = tiling_.depthB1 > 0 ? static_cast<uint32_t>(tiling_.depthB1) : 0;
        p.atomic = atomic;
        p.add_to_last = partial_;
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
        if (fractal(A_TYPE::format)) {
            return a_.transposed ? org_ka_ : org_m_;
        }
        if (A_TYPE::format == CubeFormat::VECTOR) {
            return k_;
        }
        if (a_.limit) { // on the chip it stands alone
            return filled(a_.transposed ? m_ : k_, sizeof(SrcT));
        }
        return a_.transposed ? org_m_ : org_ka_;
    }
    AKGEN_INLINE uint64_t stride_b() const
    {
        if constexpr (B_TYPE::layout == LayoutMode::BSNGD || B_TYPE::layout == LayoutMode::SBNGD) {
            return static_cast<uint64_t>(tiling_.BLayoutInfoN) * tiling_.BLayoutInfoG * tiling_.BLayoutInfoD *
                   (B_TYPE::layout == LayoutMode::SBNGD ? tiling_.BLayoutInfoB : 1);
        }
        if (fractal(B_TYPE::format)) {
            return b_.transposed ? org_n_ : org_kb_;
        }
        if (b_.limit) {
            return filled(b_.transposed ? k_ : n_, sizeof(SrcBT));
        }
        return b_.transposed ? org_kb_ : org_n_;
    }
    static AKGEN_INLINE uint64_t filled(uint32_t count, uint32_t size)
    {
        const uint64_t unit = 32 / size;
        return (count + unit - 1) / unit * unit;
    }
    // Element where a block begins: rows of A, columns of B.
    static AKGEN_INLINE uint64_t start(const akgen::twin::Stored &s, uint64_t at, bool rows)
    {
        const bool along = rows == !s.transposed; // moves from stored row to stored row
        if (!s.fractal) {
            return along ? at * s.stride : at;
        }
        const uint64_t c0 = s.type == akgen::twin::DType::I8 ? 32 : s.type == akgen::twin::DType::F32 ? 8 : 16;
        return along ? at * c0 : at / c0 * ((s.stride + 15) / 16 * 16) * c0;
    }
    template <LayoutMode layout> AKGEN_INLINE uint64_t matrix_step(uint32_t rows, uint32_t columns) const
    {
        return layout == LayoutMode::BSNGD || layout == LayoutMode::SBNGD ? columns : uint64_t{rows} * columns;
    }
    AKGEN_INLINE void batches(uint8_t *c, uint32_t limit, uint32_t batch_a, uint32_t batch_b, uint32_t step_a, uint32_t step_b,
                              uint32_t step_c, uint8_t atomic, bool sync)
    {
        const uint32_t count = batch_a > batch_b ? batch_a : batch_b;
        const Operand a = a_, b = b_;
        const uint64_t move_a = step_a ? step_a : matrix_step<A_TYPE::layout>(m_, k_);
        const uint64_t move_b = step_b ? step_b : matrix_step<B_TYPE::layout>(n_, k_);
        const uint64_t move_c = step_c ? step_c : matrix_step<C_TYPE::layout>(m_, n_);
        uint64_t stride = limit ? base_stride({0, 0, m_, n_}) : n_;
        if constexpr (C_TYPE::layout == LayoutMode::BSNGD || C_TYPE::layout == LayoutMode::SBNGD) {
            stride = static_cast<uint64_t>(tiling_.CLayoutInfoN) * tiling_.CLayoutInfoG * n_ *
                     (C_TYPE::layout == LayoutMode::SBNGD ? tiling_.CLayoutInfoB : 1);
        }
        const uint32_t om = org_m_, on = org_n_, oka = org_ka_, okb = org_kb_;
        org_m_ = m_; // each matrix stands for itself
        org_n_ = n_;
        org_ka_ = org_kb_ = k_;
        for (uint32_t i = 0; i < count; ++i) {
            a_.data = a.data + (i % batch_a) * move_a * sizeof(SrcT);
            b_.data = b.data + (i % batch_b) * move_b * sizeof(SrcBT);
            akgen::twin::matmul(product({0, 0, m_, n_}, {c + i * move_c * sizeof(DstT), type_c, fractal(C_TYPE::format), false, stride, limit}, atomic),
                                "IterateBatch", sync);
        }
        a_ = a;
        b_ = b;
        org_m_ = om;
        org_n_ = on;
        org_ka_ = oka;
        org_kb_ = okb;
        restart();
    }

    TCubeTiling tiling_{};
    Operand a_, b_;
    uint8_t *bias_ = nullptr;
    uint64_t scale_ = 0x3f800000; // 1.0
    akgen::twin::View scales_ = {nullptr, 0};
    uint32_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0;
    uint32_t m_ = 0, n_ = 0, k_ = 0;
    uint32_t batch_a_ = 1, batch_b_ = 1;
    int32_t step_ = -1;
    uint8_t hf32_ = 0;
    bool partial_ = false;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
using MatmulImpl = Matmul<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;

} // namespace AscendC

#include "ascendc/matmul_register.h"
