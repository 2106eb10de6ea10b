#include "core/base/printable.h"

#include <algorithm>

namespace loopscope {

namespace {

// Bytes of the UTF-8 character at `at`, or 0 if there is none: a wrong or cut sequence, an overlong
// form, a surrogate, or a code point above U+10FFFF.
std::size_t character_length(std::string_view text, std::size_t at) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    unsigned first = byte(0);
    std::size_t length = first < 0x80   ? 1
                         : first < 0xC2 ? 0
                         : first < 0xE0 ? 2
                         : first < 0xF0 ? 3
                         : first < 0xF5 ? 4
                                        : 0;
    if (length == 0 || at + length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                 (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
    return wrong ? 0 : length;
}

// Does a terminal act on the character in place of showing it: a control (C0, DEL, C1), or one that
// turns the direction of text (U+202A to U+202E, U+2066 to U+2069)?
bool acts(std::string_view character) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1)
        return byte(0) < 0x20 || byte(0) == 0x7f;
    if (character.size() == 2)
        return byte(0) == 0xC2 && byte(1) < 0xA0;
    return character.size() == 3 && byte(0) == 0xE2 &&
           ((byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
            (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9));
}

} // namespace

std::string printable_text(std::string_view text, std::size_t count) {
    std::string out;
    for (std::size_t at = 0, characters = 0; at < text.size() && characters < count; ++characters) {
        auto length = character_length(text, at);
        auto character = text.substr(at, length);
        out += length == 0 ? "\xEF\xBF\xBD" : acts(character) ? " " : character;
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

} // namespace loopscope
