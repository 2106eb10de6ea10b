#include "core/base/diagnostic.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr std::size_t kLineLimit = 160; // characters of a source line shown below an error

const char* word(Severity severity) {
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return "error";
}

// Bytes of the UTF-8 character at `at`, or 0 if there is none: a wrong or cut sequence, an overlong form, a surrogate, or
// a code point above U+10FFFF.
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

// Does a terminal act on the character in place of showing it: a control (C0, DEL, C1), or one that turns the direction of
// text (U+202A to U+202E, U+2066 to U+2069)?
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

// The first `count` characters of `text`; controls become spaces so that a caret stays under its place, and bytes that are
// no UTF-8 become U+FFFD: a terminal gets no raw bytes of a file.
std::string shown(std::string_view text, std::size_t count = std::string_view::npos) {
    std::string out;
    for (std::size_t at = 0, characters = 0; at < text.size() && characters < count; ++characters) {
        auto length = character_length(text, at);
        auto character = text.substr(at, length);
        out += length == 0 ? "\xEF\xBF\xBD" : acts(character) ? " " : character;
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

} // namespace

std::string format(const Diagnostic& d) {
    std::string text = shown(d.message);
    if (!d.remedy.empty())
        text += "; " + shown(d.remedy);
    if (!d.range.file)
        return std::string(word(d.severity)) + ": " + text + "\n";
    auto position = d.range.file->position(d.range.begin);
    std::string out = shown(d.range.file->name()) + ":" + std::to_string(position.line) + ":" +
                      std::to_string(position.column) + ": " + word(d.severity) + ": " + text +
                      "\n";
    auto line = d.range.file->line(position.line);
    out += shown(line, kLineLimit) + "\n";
    auto column = static_cast<std::size_t>(position.column);
    if (column <= kLineLimit + 1)
        out += std::string(column - 1, ' ') + "^\n";
    return out;
}

std::string format(const Diagnostics& diagnostics, std::size_t limit) {
    std::string out;
    for (std::size_t i = 0; i < diagnostics.size() && i < limit; ++i)
        out += format(diagnostics[i]);
    if (diagnostics.size() > limit)
        out += "… and " + std::to_string(diagnostics.size() - limit) + " more\n";
    return out;
}

bool has_errors(const Diagnostics& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
    if (name.size() > 64)
        return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        if (candidate.size() > 64)
            continue;
        // Edit distance with transpositions (optimal string alignment).
        std::vector<std::vector<std::size_t>> d(name.size() + 1,
                                                std::vector<std::size_t>(candidate.size() + 1));
        for (std::size_t i = 0; i <= name.size(); ++i)
            d[i][0] = i;
        for (std::size_t j = 0; j <= candidate.size(); ++j)
            d[0][j] = j;
        for (std::size_t i = 1; i <= name.size(); ++i)
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                std::size_t cost = name[i - 1] == candidate[j - 1] ? 0 : 1;
                d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
                if (i > 1 && j > 1 && name[i - 1] == candidate[j - 2] &&
                    name[i - 2] == candidate[j - 1])
                    d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        if (d[name.size()][candidate.size()] < best_distance) {
            best_distance = d[name.size()][candidate.size()];
            best = candidate;
        }
    }
    return best;
}

} // namespace loopscope
