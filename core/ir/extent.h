#pragma once
// Extents: affine expressions of symbols (integers known only at run time) with a hint, never bare
// numbers. A pipeline's params are compile-time integers and are folded into the constant when the
// pipeline is loaded.

#include "core/base/hash.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

class Extent {
public:
    Extent() = default;
    Extent(std::int64_t constant) : constant_(constant), hint_(constant) {}
    // A symbol whose value estimates take to be `hint`.
    static Extent symbol(const std::string& name, std::int64_t hint);

    bool is_constant() const { return terms_.empty(); }
    std::int64_t constant() const { return constant_; } // the constant part
    const std::map<std::string, std::int64_t>& terms() const {
        return terms_;
    } // symbol -> coefficient, none zero
    // The value with every symbol at its hint: what estimates and drawings use.
    std::int64_t hint() const { return hint_; }
    std::int64_t value(const std::map<std::string, std::int64_t>& symbols) const;

    Extent operator+(const Extent& other) const;
    Extent operator-(const Extent& other) const;
    Extent operator*(std::int64_t factor) const;
    bool operator==(const Extent& other) const {
        return constant_ == other.constant_ && terms_ == other.terms_;
    }

    std::string text() const; // "512", "L", "2*L + 1"
    Hash hash() const;

private:
    std::map<std::string, std::int64_t> terms_;
    std::int64_t constant_ = 0;
    std::int64_t hint_ = 0;
};

std::vector<std::int64_t> hints(const std::vector<Extent>& extents);

} // namespace loopscope
