#pragma once
// Bytes changed at random, as libFuzzer does without its measurements: what ./test.sh tries where
// no clang is.

#include <random>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// Words of a format, from a dictionary as libFuzzer reads it: "WORD" a line, with \\, \" and \xAB.
std::vector<std::string> dictionary_words(const std::string& text);

struct Material {
    std::vector<std::string> corpus; // at least one
    std::vector<std::string> words;  // may be none
};

// One of the corpus with some changes: bits, bytes, numbers, words, pieces left out, doubled, and
// taken from another one.
std::string changed_input(const Material& material, std::mt19937_64& random);

} // namespace loopscope::fuzz
