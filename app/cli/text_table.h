#pragma once
// Rows of cells with aligned columns, two spaces between them. Widths count characters, not bytes.

#include <string>
#include <vector>

namespace loopscope::cli {

class TextTable {
public:
    enum class Align { Left, Right };
    explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

    void header(std::vector<std::string> cells) {
        rows_.insert(rows_.begin(), std::move(cells)), has_header_ = true;
    }
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.size() == (has_header_ ? 1u : 0u); }
    // Each line starts with `indent`, and ends without trailing spaces. A column without any text
    // is left out.
    std::string text(const std::string& indent = "  ") const;

private:
    std::vector<Align> columns_;
    std::vector<std::vector<std::string>> rows_;
    bool has_header_ = false;
};

std::size_t character_count(const std::string& utf8);

} // namespace loopscope::cli
