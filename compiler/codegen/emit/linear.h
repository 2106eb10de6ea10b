#pragma once
// Linear forms of index expressions: constant + sum of factor * value, over i64 values of the
// function being built. Expressions (lower/affine.h) would not do: a term says from where on its
// value is known, and what it is a multiple of.

#include <cstdint>
#include <vector>

namespace llvm {
class Value;
}

namespace loopscope::codegen {

struct LinearTerm {
    llvm::Value* value = nullptr;
    std::int64_t factor = 1;
    int scope = 0; // where the value is first known: an index of Emitter's scopes, outermost first
    std::int64_t divisor = 1; // the value is a multiple of this
};

constexpr std::int64_t kMaxDivisor = 4096;

struct Linear {
    std::vector<LinearTerm> terms; // by scope; no value twice, no factor 0
    std::int64_t constant = 0;

    static Linear of(std::int64_t constant) { return {{}, constant}; }
    static Linear of(llvm::Value* value, int scope, std::int64_t divisor = 1) {
        return {{{value, 1, scope, divisor}}, 0};
    }
    bool is_constant() const { return terms.empty(); }
    Linear plus(const Linear& other, std::int64_t factor = 1) const; // this + factor * other
    Linear times(std::int64_t factor) const;
    // A power of two, at most kMaxDivisor, of which the form is a multiple for all values.
    std::int64_t divisor() const;
};

} // namespace loopscope::codegen
