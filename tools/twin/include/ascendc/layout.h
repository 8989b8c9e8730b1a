// Shape, Stride, Coord, Layout: where the elements of a tensor of several dimensions lie.
#pragma once
#include "ascendc/tuple.h"

namespace AscendC {

template <typename... Ts> using Shape = Std::tuple<Ts...>;
template <typename... Ts> using Stride = Std::tuple<Ts...>;
template <typename... Ts> using Coord = Std::tuple<Ts...>;

template <typename... Ts> AKGEN_INLINE constexpr Shape<Ts...> MakeShape(const Ts &...sizes)
{
    return Shape<Ts...>(sizes...);
}
template <typename... Ts> AKGEN_INLINE constexpr Stride<Ts...> MakeStride(const Ts &...strides)
{
    return Stride<Ts...>(strides...);
}
template <typename... Ts> AKGEN_INLINE constexpr Coord<Ts...> MakeCoord(const Ts &...places)
{
    return Coord<Ts...>(places...);
}

namespace detail {
template <size_t index = 0, typename C, typename S, typename D>
constexpr auto offset_of(const C &coord, const S &shape, const D &stride)
{
    if constexpr (Std::is_tuple_v<C>) {
        static_assert(Std::tuple_size_v<C> == Std::tuple_size_v<D>,
                      "a coordinate has as many places as the layout has strides");
        if constexpr (index + 1 == Std::tuple_size_v<C>) {
            return offset_of(Std::get<index>(coord), Std::get<index>(shape), Std::get<index>(stride));
        } else {
            return offset_of(Std::get<index>(coord), Std::get<index>(shape), Std::get<index>(stride)) +
                   offset_of<index + 1>(coord, shape, stride);
        }
    } else {
        return coord * stride;
    }
}
} // namespace detail

// The offset, in elements, of a coordinate.
template <typename CoordType, typename ShapeType, typename StrideType>
AKGEN_INLINE constexpr auto Crd2Idx(const CoordType &coord, const ShapeType &shape, const StrideType &stride)
{
    return detail::offset_of(coord, shape, stride);
}

template <typename ShapeType, typename StrideType> struct Layout : Std::tuple<ShapeType, StrideType> {
    AKGEN_INLINE constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {})
        : Std::tuple<ShapeType, StrideType>(shape, stride)
    {
    }
    AKGEN_INLINE constexpr decltype(auto) layout() { return *this; }
    AKGEN_INLINE constexpr decltype(auto) layout() const { return *this; }
    AKGEN_INLINE constexpr decltype(auto) GetShape() { return Std::get<0>(base()); }
    AKGEN_INLINE constexpr decltype(auto) GetShape() const { return Std::get<0>(base()); }
    AKGEN_INLINE constexpr decltype(auto) GetStride() { return Std::get<1>(base()); }
    AKGEN_INLINE constexpr decltype(auto) GetStride() const { return Std::get<1>(base()); }
    template <typename CoordType> AKGEN_INLINE constexpr auto operator()(const CoordType &coord) const
    {
        return Crd2Idx(coord, GetShape(), GetStride());
    }

private:
    AKGEN_INLINE constexpr Std::tuple<ShapeType, StrideType> &base() { return *this; }
    AKGEN_INLINE constexpr const Std::tuple<ShapeType, StrideType> &base() const { return *this; }
};
template <typename CoordType, typename ShapeType, typename StrideType>
AKGEN_INLINE constexpr auto Crd2Idx(const CoordType &coord, const Layout<ShapeType, StrideType> &layout)
{
    return layout(coord);
}
template <typename ShapeType, typename StrideType>
AKGEN_INLINE constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride)
{
    static_assert(Std::is_tuple_v<ShapeType> && Std::is_tuple_v<StrideType>,
                  "a layout is made of MakeShape and MakeStride");
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T> struct is_layout : Std::false_type {};
template <typename S, typename D> struct is_layout<Layout<S, D>> : Std::true_type {};
template <typename T> constexpr bool is_layout_v = is_layout<T>::value;

} // namespace AscendC
