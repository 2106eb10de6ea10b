#pragma once
// Source texts and places in them. Every diagnostic and every origin points into a SourceFile.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

// A text with the name under which the person knows it. Immutable; shared by every range in it.
class SourceFile {
public:
    SourceFile(std::string name, std::string text);

    const std::string& name() const { return name_; }
    const std::string& text() const { return text_; }
    // Line and column count from 1; the column counts UTF-8 characters, not bytes.
    struct Position {
        int line = 1;
        int column = 1;
    };
    Position position(std::size_t offset) const;
    // The line (from 1) without its line end.
    std::string_view line(int number) const;
    int line_count() const { return static_cast<int>(starts_.size()); }

private:
    std::string name_;
    std::string text_;
    std::vector<std::size_t> starts_; // byte offset of each line
};

using SourceFilePtr = std::shared_ptr<const SourceFile>;

// Bytes [begin, end) of a file; file may be null for things that no text names.
struct SourceRange {
    SourceFilePtr file;
    std::size_t begin = 0;
    std::size_t end = 0;
};

} // namespace loopscope
