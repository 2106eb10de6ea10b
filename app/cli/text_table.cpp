#include "app/cli/text_table.h"

#include <algorithm>

namespace loopscope::cli {

std::size_t character_count(const std::string& utf8) {
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string TextTable::text(const std::string& indent) const {
    std::vector<std::size_t> widths(columns_.size(), 0);
    std::vector<bool> used(columns_.size(), false);
    for (std::size_t r = 0; r < rows_.size(); ++r)
        for (std::size_t c = 0; c < rows_[r].size() && c < columns_.size(); ++c) {
            widths[c] = std::max(widths[c], character_count(rows_[r][c]));
            used[c] = used[c] || (!rows_[r][c].empty() && !(has_header_ && r == 0));
        }
    std::string all;
    for (const auto& row : rows_) {
        std::string line = indent;
        bool first = true;
        for (std::size_t c = 0; c < row.size() && c < columns_.size(); ++c) {
            if (!used[c])
                continue;
            std::string padding(widths[c] - character_count(row[c]), ' ');
            line += (first ? "" : "  ") +
                    (columns_[c] == Align::Right ? padding + row[c] : row[c] + padding);
            first = false;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        all += line + "\n";
    }
    return all;
}

} // namespace loopscope::cli
