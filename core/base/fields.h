#pragma once
// The fields of a struct as one list, for what treats all of them alike: hashing, comparing by
// value, mapping. A struct has one where it has a function
//
//     template <FieldsOf<LoopTail> T> auto fields(T& tail) {
//         auto& [asked, used, reason] = tail;
//         return std::tie(asked, used, reason);
//     }
//
// whose binding does not compile once the struct has a field more: none is forgotten. What is left
// out of the list is named in the binding all the same, and a comment says why.

#include "core/base/hash.h"

#include <bit>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace loopscope {

template <typename T, typename Struct>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Struct>;

template <typename T>
concept HasFields = requires(const T& x) { fields(x); };

template <typename T, typename Visit> void each_field(T& x, Visit&& visit) {
    std::apply([&](auto&... field) { (visit(field), ...); }, fields(x));
}

namespace detail {
template <typename T> inline constexpr bool is_pointer = false;
template <typename T> inline constexpr bool is_pointer<std::shared_ptr<T>> = true;
template <typename T> inline constexpr bool is_optional = false;
template <typename T> inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T> inline constexpr bool is_pair = false;
template <typename A, typename B> inline constexpr bool is_pair<std::pair<A, B>> = true;
} // namespace detail

// The hash of all by which two values could be told apart: of a list also its length, of a pointer
// what it points to, and whether it points anywhere.
template <typename T> Hash hash_value(const T& x, Hash h) {
    if constexpr (HasFields<T>) {
        each_field(x, [&](const auto& field) { h = hash_value(field, h); });
        return h;
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
        return combine(h, static_cast<std::uint64_t>(x));
    } else if constexpr (std::is_same_v<T, double>) {
        return combine(h, std::bit_cast<std::uint64_t>(x));
    } else if constexpr (std::is_same_v<T, std::string>) {
        return hash_of(x, h);
    } else if constexpr (requires {
                             { x.hash() } -> std::same_as<Hash>;
                         }) {
        return combine(h, x.hash());
    } else if constexpr (requires {
                             { x.hash } -> std::convertible_to<Hash>;
                         }) {
        return combine(h, x.hash);
    } else if constexpr (detail::is_pointer<T> || detail::is_optional<T>) {
        return x ? hash_value(*x, combine(h, 1)) : combine(h, 0);
    } else if constexpr (detail::is_pair<T>) {
        return hash_value(x.second, hash_value(x.first, h));
    } else {
        h = combine(h, x.size());
        for (const auto& element : x)
            h = hash_value(element, h);
        return h;
    }
}

// Compares by value: pointers that have an `equal` of their own are compared by it.
template <typename T> bool same_value(const T& a, const T& b) {
    if constexpr (HasFields<T>) {
        const auto all = fields(a), others = fields(b);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (same_value(std::get<I>(all), std::get<I>(others)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<decltype(all)>>());
    } else if constexpr (detail::is_pointer<T> && requires { equal(a, b); }) {
        return equal(a, b);
    } else if constexpr (requires {
                             a.begin();
                             a.size();
                             typename T::value_type;
                         } && !std::is_same_v<T, std::string>) {
        if (a.size() != b.size())
            return false;
        auto other = b.begin();
        for (const auto& element : a)
            if (!same_value(element, *other++))
                return false;
        return true;
    } else {
        return a == b;
    }
}

} // namespace loopscope
