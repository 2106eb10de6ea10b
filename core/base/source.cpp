#include "core/base/source.h"

#include <algorithm>

namespace loopscope {

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n')
            starts_.push_back(i + 1);
}

SourceFile::Position SourceFile::position(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    auto line = static_cast<std::size_t>(after - starts_.begin());
    int column = 1;
    for (std::size_t i = starts_[line - 1]; i < offset; ++i)
        if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80)
            ++column;
    // A position inside a character belongs to that character.
    if (offset < text_.size() && (static_cast<unsigned char>(text_[offset]) & 0xC0) == 0x80 &&
        column > 1)
        --column;
    return {static_cast<int>(line), column};
}

std::string_view SourceFile::line(int number) const {
    if (number < 1 || number > line_count())
        return {};
    auto begin = starts_[static_cast<std::size_t>(number) - 1];
    auto end = text_.find('\n', begin);
    if (end == std::string::npos)
        end = text_.size();
    if (end > begin && text_[end - 1] == '\r')
        --end;
    return std::string_view(text_).substr(begin, end - begin);
}

} // namespace loopscope
