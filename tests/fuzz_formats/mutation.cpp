#include "tests/fuzz_formats/mutation.h"

#include <algorithm>
#include <sstream>

namespace loopscope::fuzz {

namespace {

constexpr std::size_t kMost = std::size_t(1) << 17; // bytes: longer ones take time and show no more

std::size_t below(std::size_t end, std::mt19937_64& random) { return end ? random() % end : 0; }

// Short pieces more often than long ones.
std::size_t piece_length(std::size_t longest, std::mt19937_64& random) {
    return std::min(longest, std::size_t(1) << below(8, random));
}

// Numbers at which something ends.
const char* const kNumbers[] = {
    "0",          "-1",         "2147483647",           "2147483648",
    "4294967296", "-0.0",       "9223372036854775807",  "9223372036854775808",
    "1e308",      "1e-320",     "18446744073709551616", "99999999999999999999",
    "0.1",        "-2147483649"};

void change_number(std::string& bytes, std::mt19937_64& random) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size(), random));
    const auto begin = std::find_if(from, bytes.end(), is_digit);
    const auto end = std::find_if_not(begin, bytes.end(), is_digit);
    if (begin != end)
        bytes.replace(begin, end, kNumbers[below(std::size(kNumbers), random)]);
}

void change(std::string& bytes, const Material& material, std::mt19937_64& random) {
    const auto at = below(bytes.size() + 1, random);
    const auto length = piece_length(bytes.size() - at, random);
    const auto& other = material.corpus[below(material.corpus.size(), random)];
    const auto other_at = below(other.size() + 1, random);
    switch (below(material.words.empty() ? 8 : 10, random)) {
    case 0:
    case 1:
        if (at < bytes.size())
            bytes[at] ^= static_cast<char>(1u << below(8, random));
        break;
    case 2:
        if (at < bytes.size())
            bytes[at] = static_cast<char>(random());
        break;
    case 3: bytes.insert(at, 1, static_cast<char>(random())); break;
    case 4: bytes.erase(at, length); break;
    case 5: bytes.insert(at, bytes.substr(at, length)); break;
    case 6:
        bytes.replace(at, below(2, random) * length, other, other_at,
                      piece_length(other.size() - other_at, random));
        break;
    case 7: change_number(bytes, random); break;
    default: bytes.insert(at, material.words[below(material.words.size(), random)]);
    }
    if (bytes.size() > kMost)
        bytes.resize(kMost);
}

} // namespace

std::vector<std::string> dictionary_words(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto begin = line.find('"'), end = line.rfind('"');
        if (line.starts_with('#') || begin == end)
            continue;
        std::string word;
        for (auto i = begin + 1; i < end; ++i) {
            if (line[i] == '\\' && line[i + 1] == 'x') {
                word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
                i += 3;
            } else {
                i += line[i] == '\\';
                word += line[i];
            }
        }
        words.push_back(std::move(word));
    }
    return words;
}

std::string changed_input(const Material& material, std::mt19937_64& random) {
    auto bytes = material.corpus[below(material.corpus.size(), random)];
    for (auto changes = 1 + below(6, random); changes > 0; --changes)
        change(bytes, material, random);
    return bytes;
}

} // namespace loopscope::fuzz
