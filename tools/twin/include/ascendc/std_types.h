// AscendC::Std: the parts of the standard library that the vendor documents for kernels.
#pragma once
#include "akgen/runtime.h"
#include "ascendc/language.h"
#include <type_traits>

namespace AscendC::Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::true_type;

// half and bfloat16_t count as floating point on the device.
template <typename T>
struct is_floating_point : bool_constant<std::is_floating_point_v<T> || is_same_v<remove_cv_t<T>, half> ||
                                         is_same_v<remove_cv_t<T>, bfloat16_t>> {};
template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;

template <size_t N> using Int = integral_constant<size_t, N>;

template <typename T> AKGEN_INLINE constexpr T max(const T a, const T b) { return a < b ? b : a; }
template <typename T> AKGEN_INLINE constexpr T min(const T a, const T b) { return b < a ? b : a; }
template <typename T> AKGEN_INLINE constexpr T abs(const T a) { return a < static_cast<T>(0) ? static_cast<T>(-a) : a; }
template <typename T> AKGEN_INLINE T sqrt(const T a)
{
    static_assert(is_same_v<T, float>, "AKGEN:DTYPE_UNSUPPORTED: Std::sqrt takes a float");
    return __builtin_sqrtf(a);
}

template <typename T> constexpr T &&forward(remove_reference_t<T> &value) noexcept { return static_cast<T &&>(value); }
template <typename T> constexpr T &&forward(remove_reference_t<T> &&value) noexcept { return static_cast<T &&>(value); }

template <typename T, T... values> struct integer_sequence {
    using value_type = T;
    static constexpr size_t size() { return sizeof...(values); }
};
template <size_t... values> using index_sequence = integer_sequence<size_t, values...>;
namespace detail {
template <size_t count, typename T, T... values>
struct Counted : Counted<count - 1, T, static_cast<T>(count - 1), values...> {};
template <typename T, T... values> struct Counted<0, T, values...> {
    using Type = integer_sequence<T, values...>;
};
} // namespace detail
template <typename T, T count>
using make_integer_sequence = typename detail::Counted<static_cast<size_t>(count), T>::Type;
template <size_t count> using make_index_sequence = make_integer_sequence<size_t, count>;
template <typename... Ts> using index_sequence_for = make_index_sequence<sizeof...(Ts)>;

} // namespace AscendC::Std
