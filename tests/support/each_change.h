#pragma once
// Every change of one field of a value, by the value's own list of fields (core/base/fields.h):
// what must tell two values apart is asked of all of them, also of fields that came later.

#include "core/base/fields.h"
#include "core/ir/expr.h"
#include "core/ir/extent.h"
#include "core/schedule/identity.h"

#include <functional>
#include <string>
#include <type_traits>

namespace loopscope::test {

// Changes `x` in place, calls `changed` with a path such as "3[0].1", and changes it back. Of a
// list its length changes, and each element; of what is absent, that it is.
using Changed = std::function<void(const std::string& path)>;
template <typename T> void each_change(T& x, const std::string& path, const Changed& changed) {
    auto with = [&](T other) {
        T before = std::exchange(x, std::move(other));
        changed(path);
        x = std::move(before);
    };
    if constexpr (HasFields<T>) {
        int number = 0;
        each_field(x, [&](auto& field) {
            each_change(field, path + "." + std::to_string(number++), changed);
        });
    } else if constexpr (std::is_same_v<T, bool>) {
        with(!x);
    } else if constexpr (std::is_enum_v<T>) {
        with(static_cast<T>(static_cast<int>(x) == 0 ? 1 : 0));
    } else if constexpr (std::is_arithmetic_v<T>) {
        with(static_cast<T>(x + 1));
    } else if constexpr (std::is_same_v<T, std::string>) {
        with(x + "x");
    } else if constexpr (std::is_same_v<T, Extent>) {
        with(x + Extent(1));
    } else if constexpr (std::is_same_v<T, NodeId>) {
        with({x.stage + "x", x.definition, x.name});
        with({x.stage, x.definition + 1, x.name});
        with({x.stage, x.definition, x.name + "x"});
    } else if constexpr (std::is_same_v<T, ExprPtr>) {
        with(x ? binary(Op::Add, x, constant_index(1)) : constant_index(7));
    } else if constexpr (detail::is_pointer<T>) {
        using Pointee = std::remove_const_t<typename T::element_type>;
        if (!x)
            return with(std::make_shared<Pointee>());
        with(nullptr);
        const T before = x;
        Pointee copy = *before;
        each_change(copy, path + "*", [&](const std::string& where) {
            x = std::make_shared<Pointee>(copy);
            changed(where);
        });
        x = before;
    } else if constexpr (detail::is_optional<T>) {
        if (!x)
            return with(T(std::in_place));
        with(std::nullopt);
        each_change(*x, path + "*", changed);
    } else if constexpr (detail::is_pair<T>) {
        each_change(x.first, path + ".first", changed);
        each_change(x.second, path + ".second", changed);
    } else if constexpr (requires { x.push_back({}); }) {
        T longer = x;
        longer.push_back({});
        with(longer);
        if constexpr (!std::is_same_v<T, std::vector<bool>>)
            for (std::size_t i = 0; i < x.size(); ++i)
                each_change(x[i], path + "[" + std::to_string(i) + "]", changed);
    } else { // a set
        T larger = x;
        larger.insert(typename T::value_type{});
        with(larger);
    }
}

// Puts an element into every list, and a value into all that may be absent, so that their fields
// are reached: `depth` levels of those that hold themselves.
template <typename T> void fill_in(T& x, int depth = 3) {
    if constexpr (HasFields<T>) {
        each_field(x, [&](auto& field) { fill_in(field, depth); });
    } else if constexpr (std::is_same_v<T, ExprPtr>) {
        x = constant_index(3);
    } else if constexpr (detail::is_pointer<T>) {
        if (depth == 0)
            return;
        auto made = std::make_shared<std::remove_const_t<typename T::element_type>>();
        fill_in(*made, depth - 1);
        x = std::move(made);
    } else if constexpr (detail::is_optional<T>) {
        fill_in(x.emplace(), depth);
    } else if constexpr (detail::is_pair<T>) {
        fill_in(x.first, depth), fill_in(x.second, depth);
    } else if constexpr (!std::is_same_v<T, std::string> && requires { x.push_back({}); }) {
        if (depth == 0)
            return;
        typename T::value_type element{};
        fill_in(element, depth - 1);
        x.push_back(std::move(element));
    }
}

} // namespace loopscope::test
