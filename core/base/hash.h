#pragma once
// A small stable hash (the same in every process and on every machine): identities and caches are
// keyed by it.

#include <cstdint>
#include <string>
#include <string_view>

namespace loopscope {

using Hash = std::uint64_t;

constexpr Hash kHashSeed = 0xcbf29ce484222325ull;

// The finaliser of SplitMix64: a bijection in which every input bit changes about half of the
// output bits.
constexpr std::uint64_t mix_bits(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Adds `value` to a hash. The seed is mixed first, so that (a, b + 1) and (a + 1, b) differ.
constexpr Hash combine(Hash seed, std::uint64_t value) {
    return mix_bits(mix_bits(seed + 0x9e3779b97f4a7c15ull) + value);
}

constexpr Hash hash_of(std::string_view text, Hash seed = kHashSeed) {
    // FNV-1a
    for (char c : text)
        seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return combine(seed, text.size());
}

// As files and file names have it: 16 hexadecimal digits.
std::string hash_text(Hash hash);

} // namespace loopscope
