#pragma once
// Result<T>: a value, or the diagnostics that say why there is none. A failure is never a number.

#include "core/base/diagnostic.h"

#include <stdexcept>
#include <utility>
#include <variant>

namespace loopscope {

template <typename T> class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Diagnostics diagnostics) : state_(std::move(diagnostics)) {}
    Result(Diagnostic diagnostic) : state_(Diagnostics{std::move(diagnostic)}) {}

    explicit operator bool() const { return state_.index() == 0; }
    bool ok() const { return state_.index() == 0; }
    // Asking for the value of a failure is a bug, hence an exception with the reason.
    T& value() & { return check(), std::get<0>(state_); }
    const T& value() const& { return check(), std::get<0>(state_); }
    T&& value() && { return check(), std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    const Diagnostics& errors() const { return std::get<1>(state_); }

private:
    void check() const {
        if (!ok())
            throw std::logic_error("value of a failed result: " + format(std::get<1>(state_)));
    }
    std::variant<T, Diagnostics> state_;
};

struct Nothing {};
using Status = Result<Nothing>;
inline Status success() { return Status(Nothing{}); }

// An error without a place in a text; the caller adds the place where it knows one.
inline Diagnostic error(std::string message, std::string remedy = {}, SourceRange range = {}) {
    return Diagnostic{Severity::Error, std::move(message), std::move(range), std::move(remedy), {}};
}

// The same with a stable short id, by which programs tell it from others.
inline Diagnostic coded_error(std::string code, std::string message, std::string remedy = {},
                              SourceRange range = {}) {
    return Diagnostic{Severity::Error, std::move(message), std::move(range), std::move(remedy),
                      std::move(code)};
}

} // namespace loopscope
