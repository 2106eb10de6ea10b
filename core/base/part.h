#pragma once
// A part that a value may have or lack, held apart from it: what is absent takes the room of a
// pointer, and a copy of the value has a copy of its own. To ask an absent part for something is a
// fault of the program, which is told so.

#include "core/base/fields.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace loopscope {

template <typename T> class Part {
public:
    Part() = default;
    Part(std::nullopt_t) {}
    Part(T value) : value_(std::make_unique<T>(std::move(value))) {}
    explicit Part(std::in_place_t) : value_(std::make_unique<T>()) {}
    Part(const Part& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
    Part(Part&&) noexcept = default;
    Part& operator=(Part other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    ~Part() = default;

    explicit operator bool() const { return value_ != nullptr; }
    const T& operator*() const { return *present(); }
    T& operator*() { return *present(); }
    const T* operator->() const { return present(); }
    T* operator->() { return present(); }

    T& emplace() {
        value_ = std::make_unique<T>();
        return *value_;
    }

    friend bool operator==(const Part& a, const Part& b) {
        return a && b ? same_value(*a, *b) : !a && !b;
    }

private:
    T* present() const {
        if (!value_)
            throw std::logic_error("a part that is absent is asked for");
        return value_.get();
    }

    std::unique_ptr<T> value_;
};

namespace detail {
template <typename T> inline constexpr bool is_optional<Part<T>> = true;
template <typename T> inline constexpr bool is_part = false;
template <typename T> inline constexpr bool is_part<Part<T>> = true;
} // namespace detail

} // namespace loopscope
