#pragma once
// A small stable hash (the same in every process and on every machine): identities and caches are keyed by it.

#include <cstdint>
#include <string_view>

namespace loopscope {

using Hash = std::uint64_t;

constexpr Hash kHashSeed = 0xcbf29ce484222325ull;

// The finaliser of SplitMix64: mixes all bits of `value` into `seed`.
constexpr Hash combine(Hash seed, std::uint64_t value) {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15ull + value;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

constexpr Hash hash_of(std::string_view text, Hash seed = kHashSeed) {
    for (char c : text)
        seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3ull; // FNV-1a
    return combine(seed, text.size());
}

} // namespace loopscope
