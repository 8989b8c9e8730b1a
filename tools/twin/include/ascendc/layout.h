// Tuples of values, and shapes, strides and layouts, which are made of them: known at compile time, plain C++.
#pragma once
#include "ascendc/std_types.h"

namespace AscendC::Std {

template <typename... Ts> class tuple;
template <typename T> struct tuple_size;
template <typename... Ts> struct tuple_size<tuple<Ts...>> : integral_constant<size_t, sizeof...(Ts)> {};
template <typename... Ts> struct tuple_size<const tuple<Ts...>> : integral_constant<size_t, sizeof...(Ts)> {};
template <typename T> constexpr size_t tuple_size_v = tuple_size<T>::value;
template <typename T> struct is_tuple : false_type {};
template <typename... Ts> struct is_tuple<tuple<Ts...>> : true_type {};
template <typename... Ts> struct is_tuple<const tuple<Ts...>> : true_type {};
template <typename T> constexpr bool is_tuple_v = is_tuple<T>::value;

template <size_t index, typename T> struct tuple_element;
template <size_t index, typename First, typename... Rest>
struct tuple_element<index, tuple<First, Rest...>> : tuple_element<index - 1, tuple<Rest...>> {};
template <typename First, typename... Rest> struct tuple_element<0, tuple<First, Rest...>> {
    using type = First;
};
template <size_t index, typename T> using tuple_element_t = typename tuple_element<index, T>::type;

namespace detail {
// One value of a tuple, found by its place.
template <size_t index, typename T> struct Leaf {
    T value;
    constexpr Leaf() : value() {}
    template <typename U> constexpr explicit Leaf(U &&from) : value(static_cast<U &&>(from)) {}
};
template <typename Indices, typename... Ts> struct Leaves;
template <size_t... indices, typename... Ts> struct Leaves<index_sequence<indices...>, Ts...> : Leaf<indices, Ts>... {
    constexpr Leaves() = default;
    template <typename... Us>
    constexpr explicit Leaves(int, Us &&...from) : Leaf<indices, Ts>(static_cast<Us &&>(from))...
    {
    }
};
template <size_t index, typename T> constexpr T &leaf(Leaf<index, T> &from) { return from.value; }
template <size_t index, typename T> constexpr const T &leaf(const Leaf<index, T> &from) { return from.value; }
} // namespace detail

template <typename... Ts> class tuple : public detail::Leaves<index_sequence_for<Ts...>, Ts...> {
    using Base = detail::Leaves<index_sequence_for<Ts...>, Ts...>;

public:
    constexpr tuple() = default;
    constexpr tuple(const Ts &...values) : Base(0, values...) {}
    template <typename... Us,
              typename = enable_if_t<(sizeof...(Us) == sizeof...(Ts) && (is_convertible_v<Us, Ts> && ...) &&
                                      !(sizeof...(Us) == 1 && (is_tuple_v<decay_t<Us>> && ...)))>>
    constexpr tuple(Us &&...values) : Base(0, static_cast<Us &&>(values)...)
    {
    }
    // Of references, as tie gives them: every value is assigned.
    template <typename... Us> constexpr tuple &operator=(const tuple<Us...> &from)
    {
        static_assert(sizeof...(Us) == sizeof...(Ts), "tuples of different length");
        assign(from, index_sequence_for<Ts...>{});
        return *this;
    }

private:
    template <typename Other, size_t... indices> constexpr void assign(const Other &from, index_sequence<indices...>)
    {
        ((detail::leaf<indices>(*this) = detail::leaf<indices>(from)), ...);
    }
};
template <> class tuple<> {};
template <typename... Ts> tuple(Ts...) -> tuple<Ts...>;

template <size_t index, typename... Ts> constexpr tuple_element_t<index, tuple<Ts...>> &get(tuple<Ts...> &from)
{
    return detail::leaf<index>(from);
}
template <size_t index, typename... Ts>
constexpr const tuple_element_t<index, tuple<Ts...>> &get(const tuple<Ts...> &from)
{
    return detail::leaf<index>(from);
}
template <size_t index, typename... Ts> constexpr tuple_element_t<index, tuple<Ts...>> &&get(tuple<Ts...> &&from)
{
    return static_cast<tuple_element_t<index, tuple<Ts...>> &&>(detail::leaf<index>(from));
}
template <typename... Ts> constexpr tuple<decay_t<Ts>...> make_tuple(Ts &&...values)
{
    return tuple<decay_t<Ts>...>(static_cast<Ts &&>(values)...);
}
template <typename... Ts> constexpr tuple<Ts &...> tie(Ts &...values) { return tuple<Ts &...>(values...); }

} // namespace AscendC::Std

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
