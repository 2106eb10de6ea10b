#pragma once
// Parts of SQLite's rollback journals, as its format says (section 3).

#include <cstdint>
#include <string>

namespace loopscope::test {

inline std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

inline std::string journal_mark() { return {"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8}; }

// How a journal ends that names the journal of several databases, `other`: its name, the name's
// length, its sum, and the mark.
inline std::string journal_end_naming(const std::string& other) {
    std::uint32_t sum = 0;
    for (unsigned char c : other)
        sum += c;
    return other + big_endian(static_cast<std::uint32_t>(other.size())) + big_endian(sum) +
           journal_mark();
}

} // namespace loopscope::test
