// LocalTensor and GlobalTensor: an address, a length and a position. Scalar reads and writes go through the runtime,
// which checks them and puts them on the scalar pipe; everything else is plain arithmetic in the kernel.
#pragma once
#include "akgen/copy.h"
#include "ascendc/layout.h"
#include "ascendc/params.h"
#include <type_traits>
#ifdef ASCENDC_CPU_DEBUG
#include <string>
#endif

namespace AscendC {

// An element type may be wrapped together with a position and a layout; PrimT<T> is what is stored.
template <typename T, TPosition pos = TPosition::GM, typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
    using LiteType = T;
    using LiteLayoutType = LayoutType;
    static constexpr const TPosition tPos = pos;

    AKGEN_INLINE TensorTrait(const LayoutType &layout = {}) : layout_(layout) {}
    AKGEN_INLINE LayoutType &GetLayout() { return layout_; }
    AKGEN_INLINE const LayoutType &GetLayout() const { return layout_; }
    AKGEN_INLINE void SetLayout(const LayoutType &layout) { layout_ = layout; }

private:
    LayoutType layout_ = {};
};
template <typename T, TPosition pos, typename LayoutType>
AKGEN_INLINE constexpr auto MakeTensorTrait(const LayoutType &layout)
{
    return TensorTrait<T, pos, LayoutType>(layout);
}
template <typename T> struct is_tensorTrait : Std::false_type {};
template <typename T, TPosition pos, typename L> struct is_tensorTrait<TensorTrait<T, pos, L>> : Std::true_type {};
template <typename T> constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;
namespace detail {
template <typename T> struct Stored {
    using Type = T;
};
template <typename T, TPosition pos, typename L> struct Stored<TensorTrait<T, pos, L>> {
    using Type = T;
};

template <typename T> constexpr akgen::twin::DType dtype_of()
{
    using akgen::twin::DType;
    using U = typename Stored<std::remove_cv_t<T>>::Type;
    if constexpr (std::is_same_v<U, float>) {
        return DType::F32;
    } else if constexpr (std::is_same_v<U, half>) {
        return DType::F16;
    } else if constexpr (std::is_same_v<U, bfloat16_t>) {
        return DType::BF16;
    } else if constexpr (std::is_same_v<U, double>) {
        return DType::F64;
    } else if constexpr (std::is_same_v<U, int4b_t>) {
        return DType::I4;
    } else if constexpr (std::is_same_v<U, bool>) {
        return DType::BOOL;
    } else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) {
        return sizeof(U) == 1 ? DType::I8 : sizeof(U) == 2 ? DType::I16 : sizeof(U) == 4 ? DType::I32 : DType::I64;
    } else if constexpr (std::is_integral_v<U>) {
        return sizeof(U) == 1 ? DType::U8 : sizeof(U) == 2 ? DType::U16 : sizeof(U) == 4 ? DType::U32 : DType::U64;
    } else {
        return DType::NONE;
    }
}

// Bytes that `count` elements occupy; two int4b_t share one.
template <typename T> constexpr uint64_t storage_bytes(uint64_t count)
{
    return std::is_same_v<T, int4b_t> ? (count + 1) / 2 : count * sizeof(T);
}
template <typename T> constexpr uint64_t storage_elements(uint64_t bytes)
{
    return std::is_same_v<T, int4b_t> ? bytes * 2 : bytes / sizeof(T);
}
} // namespace detail

template <typename T> using PrimT = typename detail::Stored<T>::Type;

namespace detail {
// How many elements a trait's layout holds, which it says where its sizes are Std::integral_constant.
template <typename T> struct ElementsOf;
template <typename T, TPosition pos, typename... Sizes, typename Strides>
struct ElementsOf<TensorTrait<T, pos, Layout<Std::tuple<Sizes...>, Strides>>> {
    static constexpr uint32_t value = (static_cast<uint32_t>(Sizes::value) * ... * (sizeof...(Sizes) == 0 ? 0u : 1u));
};
} // namespace detail

// Where a local tensor lies. `bytes` is the length the kernel believes in (GetSize, SetSize); `limit` is what lies
// between `data` and the end of the buffer it came from, and is what the runtime checks.
struct TBuffAddr {
    uint8_t *data = nullptr;
    uint32_t dataLen = 0;
    uint32_t limit = 0;
    uint16_t shape = 0; // index of a ShapeInfo kept by the runtime, 0: none
    uint8_t logicPos = static_cast<uint8_t>(TPosition::VECCALC);
    int32_t tag = 0;
};

template <typename T> class LocalTensor;

// The right-hand side of dst = src0 + src1; it runs when it is assigned (tensor_operators.h).
template <typename T, template <typename> class Operation> struct TensorExpression {
    const LocalTensor<T> &a;
    const LocalTensor<T> &b;
};

template <typename T> class LocalTensor {
public:
    using PrimType = PrimT<T>;

    LocalTensor() = default;
    // Static style: `addr` is a byte offset into the memory that `pos` names, `count` elements long.
    AKGEN_INLINE LocalTensor(TPosition pos, uint32_t addr, uint32_t count)
    {
        const uint32_t bytes = static_cast<uint32_t>(detail::storage_bytes<PrimType>(count));
        const akgen::twin::View v = akgen::twin::static_tensor(static_cast<uint8_t>(pos), addr, bytes);
        address_.data = v.data;
        address_.dataLen = bytes;
        address_.limit = v.size_bytes;
        address_.logicPos = static_cast<uint8_t>(pos);
    }
    explicit LocalTensor(const TBuffAddr &address) : address_(address) {}
    // Of a trait, which brings the position and, in a layout of constants, the size.
    template <typename Trait = T, typename = Std::enable_if_t<is_tensorTrait_v<Trait>>>
    AKGEN_INLINE explicit LocalTensor(uint32_t addr) : LocalTensor(Trait::tPos, addr, detail::ElementsOf<Trait>::value)
    {
    }

    template <template <typename> class Operation>
    AKGEN_INLINE void operator=(const TensorExpression<T, Operation> &expression)
    {
        Operation<T>::run(*this, expression.a, expression.b);
    }
    // dst = src0 < src1: the sources have another type than the bits (tensor_operators.h).
    template <typename Comparison, typename = typename Comparison::ComparedType>
    AKGEN_INLINE void operator=(const Comparison &comparison)
    {
        comparison.into(*this);
    }

    AKGEN_INLINE PrimType GetValue(const uint32_t index) const { return *at<false>(index); }
    template <typename V> AKGEN_INLINE void SetValue(const uint32_t index, const V value) const
    {
        if constexpr (std::is_same_v<PrimType, int4b_t>) {
            akgen::twin::set_nibble(address_.data, index, static_cast<uint8_t>(value), address_.limit);
        } else {
            *at<true>(index) = static_cast<PrimType>(value);
        }
    }
    AKGEN_INLINE __ubuf__ PrimType &operator()(const uint32_t index) const
    {
        return *reinterpret_cast<PrimType *>(akgen::twin::local_reference(
            address_.data, detail::storage_bytes<PrimType>(index), sizeof(PrimType), address_.limit));
    }

    AKGEN_INLINE LocalTensor operator[](const uint32_t offset) const
    {
        LocalTensor part = *this;
        part.advance(detail::storage_bytes<PrimType>(offset));
        return part;
    }
    template <typename U> AKGEN_INLINE LocalTensor<U> ReinterpretCast() const { return LocalTensor<U>(address_); }

    AKGEN_INLINE uint32_t GetSize() const
    {
        return static_cast<uint32_t>(detail::storage_elements<PrimType>(address_.dataLen));
    }
    AKGEN_INLINE uint32_t GetLength() const { return address_.dataLen; }
    AKGEN_INLINE void SetSize(const uint32_t size)
    {
        address_.dataLen = static_cast<uint32_t>(detail::storage_bytes<PrimType>(size));
    }
    AKGEN_INLINE void SetBufferLen(uint32_t bytes) { address_.dataLen = bytes; }
    // A number on the chip, a pointer in a CPU unit test.
#ifdef ASCENDC_CPU_DEBUG
    using PhysicalAddress = PrimType *;
#else
    using PhysicalAddress = uint64_t;
#endif
    AKGEN_INLINE PhysicalAddress GetPhyAddr() const { return reinterpret_cast<PhysicalAddress>(address_.data); }
    AKGEN_INLINE PhysicalAddress GetPhyAddr(const uint32_t offset) const
    {
        return reinterpret_cast<PhysicalAddress>(address_.data + detail::storage_bytes<PrimType>(offset));
    }
    AKGEN_INLINE int32_t GetPosition() const { return address_.logicPos; }
    AKGEN_INLINE void SetUserTag(const TTagType tag) { address_.tag = tag; }
    AKGEN_INLINE TTagType GetUserTag() const { return address_.tag; }
    AKGEN_INLINE void SetShapeInfo(const ShapeInfo &info)
    {
        address_.shape = akgen::twin::keep_shape(&info, sizeof(ShapeInfo));
    }
    AKGEN_INLINE ShapeInfo GetShapeInfo() const
    {
        ShapeInfo info;
        akgen::twin::recall_shape(address_.shape, &info, sizeof(ShapeInfo));
        return info;
    }
    AKGEN_INLINE void SetAddr(const TBuffAddr &address) { address_ = address; }
#ifdef ASCENDC_CPU_DEBUG // what a unit test may do besides (tensor_debug.h)
    void Print(uint32_t len) const;
    void Print() const { Print(GetSize()); }
    void ToFile(const std::string &fileName) const;
#endif
    AKGEN_INLINE const TBuffAddr &GetAddr() const { return address_; }
    template <typename U> AKGEN_INLINE void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset)
    {
        address_ = source.GetAddr();
        advance(detail::storage_bytes<PrimT<U>>(offset));
    }

private:
    template <bool write> AKGEN_INLINE PrimType *at(uint32_t index) const
    {
        return reinterpret_cast<PrimType *>(akgen::twin::local_scalar(
            address_.data, detail::storage_bytes<PrimType>(index), sizeof(PrimType), address_.limit, write));
    }
    AKGEN_INLINE void advance(uint64_t bytes)
    {
        address_.data += bytes;
        address_.dataLen = bytes < address_.dataLen ? static_cast<uint32_t>(address_.dataLen - bytes) : 0;
        // One byte is left over past the end: 0 would say "unknown" and switch the check off.
        address_.limit = bytes < address_.limit ? static_cast<uint32_t>(address_.limit - bytes)
                         : address_.limit       ? 1
                                                : 0;
    }

    TBuffAddr address_;
};

template <typename T> class GlobalTensor {
public:
    using PrimType = PrimT<T>;

    AKGEN_INLINE void SetGlobalBuffer(__gm__ PrimType *buffer, uint64_t bufferSize)
    {
        address_ = buffer;
        size_ = bufferSize;
    }
    AKGEN_INLINE void SetGlobalBuffer(__gm__ PrimType *buffer) { SetGlobalBuffer(buffer, 0); }
    AKGEN_INLINE const __gm__ PrimType *GetPhyAddr() const { return address_; }
    AKGEN_INLINE __gm__ PrimType *GetPhyAddr(const uint64_t offset) const { return moved(offset); }
    AKGEN_INLINE PrimType GetValue(const uint64_t offset) const { return *at<false>(offset); }
    AKGEN_INLINE void SetValue(const uint64_t offset, PrimType value) { *at<true>(offset) = value; }
    AKGEN_INLINE __gm__ PrimType &operator()(const uint64_t offset) const
    {
        return *reinterpret_cast<PrimType *>(
            akgen::twin::global_reference(reinterpret_cast<uint8_t *>(moved(offset)), sizeof(PrimType)));
    }
    AKGEN_INLINE GlobalTensor operator[](const uint64_t offset) const
    {
        GlobalTensor part = *this;
        part.address_ = moved(offset);
        return part;
    }
    AKGEN_INLINE uint64_t GetSize() const { return size_; }
    AKGEN_INLINE void SetShapeInfo(const ShapeInfo &info)
    {
        shape_ = akgen::twin::keep_shape(&info, sizeof(ShapeInfo));
    }
    AKGEN_INLINE ShapeInfo GetShapeInfo() const
    {
        ShapeInfo info;
        akgen::twin::recall_shape(shape_, &info, sizeof(ShapeInfo));
        return info;
    }
    template <CacheRwMode mode = CacheRwMode::RW> AKGEN_INLINE void SetL2CacheHint(CacheMode hint)
    {
        akgen::twin::cache_hint(reinterpret_cast<const uint8_t *>(address_), hint != CacheMode::CACHE_MODE_DISABLE);
    }
    AKGEN_INLINE void SetAddr(const uint64_t offset) { address_ = moved(offset); }

private:
    // Integer arithmetic: a tail may compute a negative offset in unsigned numbers and come back.
    AKGEN_INLINE PrimType *moved(uint64_t offset) const
    {
        const uint64_t bytes = std::is_same_v<PrimType, int4b_t> ? offset / 2 : offset * sizeof(PrimType);
        return reinterpret_cast<PrimType *>(reinterpret_cast<uint64_t>(address_) + bytes);
    }
    template <bool write> AKGEN_INLINE PrimType *at(uint64_t offset) const
    {
        return reinterpret_cast<PrimType *>(
            akgen::twin::global_scalar(reinterpret_cast<uint8_t *>(moved(offset)), sizeof(PrimType), write));
    }

    PrimType *address_ = nullptr;
    uint64_t size_ = 0;
    uint16_t shape_ = 0;
};

namespace detail {
template <typename T> AKGEN_INLINE akgen::twin::View view(const LocalTensor<T> &tensor)
{
    return akgen::twin::View{tensor.GetAddr().data, tensor.GetAddr().limit};
}
// The same tensor without its trait.
template <typename T> AKGEN_INLINE LocalTensor<PrimT<T>> plain(const LocalTensor<T> &tensor)
{
    return LocalTensor<PrimT<T>>(tensor.GetAddr());
}
template <typename T> using IfTrait = Std::enable_if_t<is_tensorTrait_v<T>>;
// A global tensor's limit is the mapping it lies in, which the runtime knows.
template <typename T> AKGEN_INLINE uint8_t *address(const GlobalTensor<T> &tensor)
{
    return reinterpret_cast<uint8_t *>(tensor.GetPhyAddr(0));
}
} // namespace detail

} // namespace AscendC
