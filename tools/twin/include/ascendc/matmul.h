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
    template <class T> AKGEN_INLINE void SetWorkspace(const GlobalTensor<T> &addr) { workspace_ = detail::address(addr); }
    template <class T> AKGEN_INLINE void SetWorkspace(__gm__ const T *addr, int)
    {
        workspace_ = reinterpret_cast<uint8_t *>(const_cast<T *>(addr));
    }
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

    // As many products as the larger batch has matrices; the smaller one's serve for several. Matrices follow each other as
    // their layouts say.
    template <bool sync = true, bool waitIterateBatch = false>
    AKGEN_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                                   const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                                   const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        batches({detail::address(gm), 0, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enAtomic, sync, "IterateBatch"});
        restart();
    }
    template <bool sync = true>
    AKGEN_INLINE void IterateBatch(const LocalTensor<DstT> &ubCmatrix, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                                   const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                                   const bool enPartialSum = false, const uint8_t enAtomic = 0)
    {
        batches({ubCmatrix.GetAddr().data, ubCmatrix.GetAddr().limit, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enAtomic, sync,
                 "IterateBatch"});
        restart();
    }
    // The same after SetBatchNum.
    template <typename Flag, std::enable_if_t<std::is_same_v<Flag, bool>, int> = 0>
    AKGEN_INLINE void IterateBatch(const GlobalTensor<DstT> &gm, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                                   const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
    {
        IterateBatch(gm, batch_a_, batch_b_, enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum, enAtomic);
    }
    template <typename Flag, std::enable_if_t<std::is_same_v<Flag, bool>, int> = 0>
    AKGEN_INLINE void IterateBatch(const LocalTensor<DstT> &ubCmatrix, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                                   const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
    {
        IterateBatch(ubCmatrix, batch_a_, batch_b_, enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum, enAtomic);
    }
    // `batchLoop` batches into the workspace, where GetBatchTensorC finds one after another.
    template <bool sync = true, bool waitIterateBatch = false>
    AKGEN_INLINE void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0)
    {
        Batch batch{workspace_, 0, batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, 0, sync, "IterateNBatch"};
        for (; batch.turn < batchLoop; ++batch.turn) {
            batches(batch);
        }
        restart();
        step_ = 0;
    }
    template <bool sync = true>
    AKGEN_INLINE GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        akgen::twin::matmul_wait();
        const uint64_t size = uint64_t{batchA > batchB ? batchA : batchB} * m_ * n_;
        GlobalTensor<DstT> c;
        c.SetGlobalBuffer(reinterpret_cast<__gm__ DstT *>(workspace_) + (step_++) * size, size);
        return c;
    }
    template <bool sync = true>
    AKGEN_INLINE void GetBatchTensorC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false)
    {
        const GlobalTensor<DstT> from = GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
        PipeBarrier<PIPE_ALL>();
        const uint32_t row = n_ * sizeof(DstT), rows = (batchA > batchB ? batchA : batchB) * m_;
        if (row % 32 == 0) {
            DataCopy(c, from, rows * n_);
        } else {
            DataCopyPad(c, from, {static_cast<uint16_t>(rows), row, 0, 0, 0}, {});
        }
        PipeBarrier<PIPE_ALL>();
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
        p.a.data += detail::storage_bytes<SrcT>(start(p.a, block.row, true));
        p.b.data += detail::storage_bytes<SrcBT>(start(p.b, block.column, false));
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
        const uint64_t unit = detail::storage_elements<T>(32);
        return (count + unit - 1) / unit * unit;
    }
    // Element where a block begins: rows of A, columns of B.
    static AKGEN_INLINE uint64_t start(const akgen::twin::Stored &s, uint64_t at, bool rows)
    {
        const bool along = rows == !s.transposed; // moves from stored row to stored row
        if (!s.fractal) {
            return along ? at * s.stride : at;
        }
        using akgen::twin::DType;
        const uint64_t c0 = s.type == DType::I4 ? 64 : s.type == DType::I8 ? 32 : s.type == DType::F32 ? 8 : 16;
        return along ? at * c0 : at / c0 * ((s.stride + 15) / 16 * 16) * c0;
    }
    struct Batch {
        uint8_t *c;
        uint32_t limit, count_a, count_b, step_a, step_b, step_c;
        uint8_t atomic;
        bool sync;
        const char *api;
        uint32_t turn = 0; // of batches that follow each other
    };
    static constexpr bool interleaved(LayoutMode layout) { return layout == LayoutMode::BSNGD || layout == LayoutMode::SBNGD; }
    // Where matrix number `index` begins: `heads` lie side by side, `wide` elements each, in each of `deep` rows.
    template <LayoutMode layout>
    static AKGEN_INLINE uint64_t matrix_at(uint64_t index, uint32_t step, uint64_t size, uint64_t heads, uint64_t deep, uint64_t wide)
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
    static AKGEN_INLINE uint64_t times(int32_t a, int32_t b) { return static_cast<uint64_t>(a) * static_cast<uint64_t>(b); }
    AKGEN_INLINE void batches(const Batch &batch)
    {
        const uint64_t count = batch.count_a > batch.count_b ? batch.count_a : batch.count_b, first = batch.turn * count;
        const uint64_t first_a = uint64_t{batch.turn} * batch.count_a, first_b = uint64_t{batch.turn} * batch.count_b;
        const Operand a = a_, b = b_;
        uint8_t *const bias = bias_;
        const auto &t = tiling_;
        uint64_t stride = batch.limit ? base_stride({0, 0, m_, n_}) : n_;
        if constexpr (interleaved(C_TYPE::layout)) {
            stride = times(t.CLayoutInfoN, t.CLayoutInfoG) * n_ * (C_TYPE::layout == LayoutMode::SBNGD ? static_cast<uint64_t>(t.CLayoutInfoB) : 1);
        }
        const uint32_t om = org_m_, on = org_n_, oka = org_ka_, okb = org_kb_;
        org_m_ = m_; // each matrix stands for itself
        org_n_ = n_;
        org_ka_ = org_kb_ = k_;
        for (uint64_t i = 0; i < count; ++i) {
            a_.data = a.data + detail::storage_bytes<SrcT>(matrix_at<A_TYPE::layout>(first_a + i * batch.count_a / count, batch.step_a, uint64_t{m_} * k_,
                                                                       times(t.ALayoutInfoN, t.ALayoutInfoG),
                                                                       static_cast<uint64_t>(t.ALayoutInfoS), static_cast<uint64_t>(t.ALayoutInfoD)));
            b_.data = b.data + detail::storage_bytes<SrcBT>(matrix_at<B_TYPE::layout>(first_b + i * batch.count_b / count, batch.step_b, uint64_t{n_} * k_,
                                                                        times(t.BLayoutInfoN, t.BLayoutInfoG),
                                                                        static_cast<uint64_t>(t.BLayoutInfoS), static_cast<uint64_t>(t.BLayoutInfoD)));
            if (bias != nullptr && detail::config_of(MM_CFG).isBiasBatch) {
                bias_ = bias + (first + i) * n_ * sizeof(BiasT);
            }
            uint8_t *const c = batch.c + sizeof(DstT) * matrix_at<C_TYPE::layout>(first + i, batch.step_c, m_ * stride,
                                                                                 times(t.CLayoutInfoN, t.CLayoutInfoG), m_, n_);
            akgen::twin::matmul(product({0, 0, m_, n_}, {c, type_c, fractal(C_TYPE::format), false, stride, batch.limit}, batch.atomic), batch.api,
                                batch.sync);
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
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
using MatmulImpl = Matmul<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;

} // namespace AscendC

#include "ascendc/matmul_register.h"
