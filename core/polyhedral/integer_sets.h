#pragma once
// Questions about sets of integer points, in isl's notation: "{ [i, j] : 0 <= i < j < 10 }". Text
// in, plain structs out: no isl object leaves a call. One context per thread, and a quota on the
// work of each call.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::polyhedral {

constexpr unsigned long kDefaultQuota = 200'000; // isl operations: some tenths of a second at most

enum class Emptiness : std::uint8_t {
    Empty,
    NotEmpty,
    // Unknown: the quota was exhausted
    Unknown
};

// Throws std::logic_error if the text is not a set; so do all below.
Emptiness is_empty(const std::string& set, unsigned long quota = kDefaultQuota);

// The lexicographically least point; nullopt: there is none, or the quota was exhausted.
std::optional<std::vector<std::int64_t>> least_point(const std::string& set,
                                                     unsigned long quota = kDefaultQuota);

std::string isl_version_text();

} // namespace loopscope::polyhedral
