#pragma once
// Building loop programs in final form by hand, compiling and running them on arrays.

#include "compiler/codegen/host/host_program.h"
#include "compiler/lower/program.h"
#include "core/ir/expr.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace loopscope::test {

template <typename T> constexpr ScalarType scalar_type() {
    if constexpr (std::is_same_v<T, bool>)
        return ScalarType::Bool;
    else if constexpr (std::is_same_v<T, float>)
        return ScalarType::F32;
    else if constexpr (std::is_same_v<T, double>)
        return ScalarType::F64;
    else if constexpr (std::is_same_v<T, std::int8_t>)
        return ScalarType::I8;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return ScalarType::I16;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return ScalarType::I32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return ScalarType::I64;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return ScalarType::U8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return ScalarType::U16;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return ScalarType::U32;
    else
        return ScalarType::U64;
}

// An array aligned to 64 bytes, with a guard behind it whose change shows a write outside.
template <typename T> class Array {
public:
    explicit Array(std::size_t size, T fill = T{})
        : size_(size), bytes_((size * sizeof(T) + kGuard + 63) / 64 * 64) {
        data_.reset(static_cast<unsigned char*>(std::aligned_alloc(64, bytes_)));
        std::memset(data_.get(), 0xa5, bytes_);
        for (std::size_t i = 0; i < size; ++i)
            (*this)[i] = fill;
    }
    Array(const std::vector<T>& values) : Array(values.size()) {
        for (std::size_t i = 0; i < values.size(); ++i)
            (*this)[i] = values[i];
    }
    T& operator[](std::size_t i) { return reinterpret_cast<T*>(data_.get())[i]; }
    const T& operator[](std::size_t i) const { return reinterpret_cast<const T*>(data_.get())[i]; }
    std::size_t size() const { return size_; }
    void* data() { return data_.get(); }
    bool intact() const {
        for (std::size_t i = size_ * sizeof(T); i < bytes_; ++i)
            if (data_.get()[i] != 0xa5)
                return false;
        return true;
    }

private:
    static constexpr std::size_t kGuard = 256;
    struct Free {
        void operator()(unsigned char* p) const { std::free(p); }
    };
    std::size_t size_, bytes_;
    std::unique_ptr<unsigned char, Free> data_;
};

inline lower::Argument argument(const std::string& name, ScalarType type, std::int64_t size,
                                lower::Role role) {
    return {name, role, type, {Extent(size)}, {0}, {Extent(size)}};
}
inline lower::Argument in(const std::string& name, ScalarType type, std::int64_t size) {
    return argument(name, type, size, lower::Role::Input);
}
inline lower::Argument out(const std::string& name, ScalarType type, std::int64_t size) {
    return argument(name, type, size, lower::Role::Output);
}

inline lower::Program program(std::vector<lower::Argument> arguments, lower::StatementPtr body) {
    lower::Program p;
    p.name = "hand_built";
    p.arguments = std::move(arguments);
    p.flat = true;
    lower::Launch launch;
    launch.name = p.name;
    launch.body = std::move(body);
    for (const auto& a : p.arguments)
        launch.arguments.push_back(a.buffer);
    p.launches.push_back(std::move(launch));
    return p;
}

inline ExprPtr number(std::int64_t n) { return constant_int(ScalarType::I32, n); }
inline ExprPtr var(const std::string& name) { return variable(name); }
inline ExprPtr operator+(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Add, a, b); }
inline ExprPtr operator-(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Subtract, a, b); }
inline ExprPtr operator*(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Multiply, a, b); }
inline ExprPtr operator<(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Less, a, b); }

inline lower::StatementPtr serial(const std::string& name, std::int64_t extent,
                                  lower::StatementPtr body) {
    return lower::for_loop({}, name, number(0), number(extent), lower::ForKind::Serial,
                           std::move(body));
}
inline lower::StatementPtr parallel(const std::string& name, std::int64_t extent,
                                    lower::StatementPtr body) {
    return lower::for_loop({}, name, number(0), number(extent), lower::ForKind::Parallel,
                           std::move(body));
}
inline lower::StatementPtr put(const std::string& buffer, ExprPtr at, ExprPtr value,
                               ExprPtr mask = nullptr) {
    return lower::store({}, buffer, {std::move(at)}, std::move(value), std::move(mask));
}
inline ExprPtr get(const std::string& buffer, ScalarType type, ExprPtr at) {
    return load(buffer, type, {std::move(at)});
}

inline std::unique_ptr<codegen::HostProgram> compiled(const lower::Program& p,
                                                      bool keep_text = false) {
    codegen::HostOptions options;
    options.keep_text = keep_text;
    auto result = codegen::HostProgram::compile(p, options);
    if (!result) {
        ADD_FAILURE() << format(result.errors());
        return nullptr;
    }
    return std::move(*result);
}

inline void run(const lower::Program& p, const std::vector<void*>& buffers, int threads = 1,
                const std::vector<std::string>& without = {}) {
    codegen::HostOptions options;
    options.without = without;
    auto compiled = codegen::HostProgram::compile(p, options);
    ASSERT_TRUE(compiled.ok()) << format(compiled.errors());
    auto& host = *compiled;
    auto status = host->run(buffers, threads);
    ASSERT_TRUE(status.ok()) << format(status.errors());
}

// Small programs that are compiled as one, a function each: to compile takes longer than what they
// do, and most of that is per compilation.
class Batch {
public:
    // A number for the names of the next program's arrays, which are its own: "a7".
    std::string name(const std::string& array) const {
        return array + std::to_string(checks_.size());
    }
    // `check` looks at what a run has left in the buffers, which it keeps alive.
    void add(const std::vector<lower::Argument>& arguments, lower::StatementPtr body,
             const std::vector<void*>& buffers, std::function<void()> check) {
        lower::Launch launch;
        launch.name = name("hand_built_");
        launch.body = std::move(body);
        for (const auto& a : arguments)
            launch.arguments.push_back(a.buffer);
        program_.launches.push_back(std::move(launch));
        program_.arguments.insert(program_.arguments.end(), arguments.begin(), arguments.end());
        buffers_.insert(buffers_.end(), buffers.begin(), buffers.end());
        checks_.push_back(std::move(check));
    }
    // On a processor with all that this one has, and on one `without` these extensions.
    void run(const std::vector<std::string>& without = {}) {
        program_.name = "hand_built";
        program_.flat = true;
        test::run(program_, buffers_, 1, without);
        for (const auto& check : checks_)
            check();
    }

private:
    lower::Program program_;
    std::vector<void*> buffers_;
    std::vector<std::function<void()>> checks_;
};

// Applies `make(a, b)` to all elements of two arrays: lanes 1 by a serial loop, more by vectors
// with a masked tail.
template <typename R, typename T>
std::vector<R> apply(int lanes, const std::vector<T>& a, const std::vector<T>& b,
                     const std::function<ExprPtr(ExprPtr, ExprPtr)>& make,
                     const std::vector<std::string>& without = {}) {
    auto size = static_cast<std::int64_t>(a.size());
    auto type = scalar_type<T>();
    lower::StatementPtr body;
    if (lanes == 1) {
        body =
            serial("i", size,
                   put("out", var("i"), make(get("a", type, var("i")), get("b", type, var("i")))));
    } else {
        auto at = ramp(var("i") * number(lanes), number(1), lanes);
        auto mask = at < broadcast(number(size), lanes);
        auto value = make(masked_load("a", type, {at}, mask), masked_load("b", type, {at}, mask));
        body = serial("i", (size + lanes - 1) / lanes, put("out", at, value, mask));
    }
    Array<T> first(a), second(b);
    Array<R> result(a.size());
    run(program({in("a", type, size), in("b", type, size), out("out", scalar_type<R>(), size)},
                body),
        {first.data(), second.data(), result.data()}, 1, without);
    EXPECT_TRUE(result.intact());
    std::vector<R> values;
    for (std::size_t i = 0; i < a.size(); ++i)
        values.push_back(result[i]);
    return values;
}

// Bit equality, all NaNs being one NaN.
template <typename T> bool same_bits(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (a != a || b != b)
            return a != a && b != b;
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

} // namespace loopscope::test
