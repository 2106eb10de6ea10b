#include "core/base/diagnostic.h"

#include "core/base/printable.h"

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

} // namespace

std::string format(const Diagnostic& d) {
    std::string text = printable_text(d.message);
    if (!d.remedy.empty())
        text += "; " + printable_text(d.remedy);
    if (!d.range.file)
        return std::string(word(d.severity)) + ": " + text + "\n";
    auto position = d.range.file->position(d.range.begin);
    std::string out = printable_text(d.range.file->name()) + ":" + std::to_string(position.line) +
                      ":" + std::to_string(position.column) + ": " + word(d.severity) + ": " +
                      text + "\n";
    auto line = d.range.file->line(position.line);
    out += printable_text(line, kLineLimit) + "\n";
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

namespace {

// Short names are near to all that are as short: one that shares no letter was not meant.
bool share_a_letter(const std::string& a, const std::string& b) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::any_of(a.begin(), a.end(), [&](char c) {
        return std::any_of(b.begin(), b.end(), [&](char d) { return lower(c) == lower(d); });
    });
}

} // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
    if (name.size() > 64)
        return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        if (candidate.size() > 64 || !share_a_letter(name, candidate))
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
