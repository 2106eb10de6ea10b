#include "compiler/codegen/c/writer.h"

#include <cctype>
#include <set>
#include <sstream>

namespace loopscope::codegen {

namespace {

constexpr std::size_t kWidth = 100, kIndent = 4;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where to continue a statement that is too long: of the spaces in the line's second half one that
// is inside the fewest parentheses, the last of these; else the first space after them.
std::size_t break_before(const std::string& text, std::size_t from, std::size_t width) {
    if (text.size() - from <= width)
        return std::string::npos;
    auto best = std::string::npos;
    int depth = 0, best_depth = 0;
    for (auto at = from; at <= from + width; ++at) {
        depth += text[at] == '(' || text[at] == '['   ? 1
                 : text[at] == ')' || text[at] == ']' ? -1
                                                      : 0;
        bool here = text[at] == ' ' && at > from + width / 2;
        if (here && (best == std::string::npos || depth <= best_depth)) {
            best = at;
            best_depth = depth;
        }
    }
    return best != std::string::npos ? best : text.find(' ', from + width);
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    auto begin = text.find_first_not_of(' ');
    if (begin != std::string::npos && text.compare(begin, 2, "//") == 0)
        return words;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_word(text[i])) {
            ++i;
            continue;
        }
        auto begin = i;
        while (i < text.size() && is_word(text[i]))
            ++i;
        words.push_back(text.substr(begin, i - begin));
    }
    return words;
}

} // namespace

void CWriter::add(const std::string& text, const NodeId& origin) {
    lines_.push_back({text, origin, statement_});
}

void CWriter::line(const std::string& text, const NodeId& origin) {
    ++statement_;
    std::string indent(kIndent * static_cast<std::size_t>(depth_), ' ');
    bool comment = text.rfind("//", 0) == 0;
    std::size_t from = 0;
    while (true) {
        auto width = kWidth > indent.size() + 30 ? kWidth - indent.size() : 30;
        auto end = comment ? std::string::npos : break_before(text, from, width);
        add(indent + text.substr(from, end == std::string::npos ? end : end - from), origin);
        if (end == std::string::npos)
            return;
        if (from == 0)
            indent += std::string(2 * kIndent, ' ');
        from = end + 1;
    }
}

void CWriter::list(const std::string& before, const std::vector<std::string>& items,
                   const std::string& after, const NodeId& origin) {
    ++statement_;
    const auto indent = [&](int depth) {
        return std::string(kIndent * static_cast<std::size_t>(depth), ' ');
    };
    std::string line = indent(depth_) + before;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto item = items[i] + (i + 1 < items.size() ? "," : after);
        if (i > 0 && line.size() + 1 + item.size() > kWidth) {
            add(line, origin);
            line = indent(depth_ + 2) + item;
        } else {
            line += (i > 0 ? " " : "") + item;
        }
    }
    add(items.empty() ? line + after : line, origin);
}

void CWriter::verbatim(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        ++statement_;
        add(line, {});
    }
}

void CWriter::remove_unused(const std::vector<std::string>& names) {
    std::set<std::string> candidates(names.begin(), names.end()), mentioned;
    std::vector<Line> kept;
    for (auto end = lines_.size(); end > 0;) {
        auto begin = end;
        while (begin > 0 && lines_[begin - 1].statement == lines_[end - 1].statement)
            --begin;
        std::set<std::string> here;
        for (auto i = begin; i < end; ++i)
            for (auto& word : words_of(lines_[i].text))
                here.insert(std::move(word));
        // "const TYPE NAME = …"
        auto first = words_of(lines_[begin].text);
        bool declares = first.size() > 2 && first[0] == "const" && candidates.count(first[2]);
        if (!declares || mentioned.count(first[2])) {
            for (auto i = end; i-- > begin;)
                kept.push_back(std::move(lines_[i]));
            mentioned.insert(here.begin(), here.end());
        }
        end = begin;
    }
    lines_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

bool CWriter::mentions(const std::string& name) const {
    for (const auto& line : lines_)
        for (const auto& word : words_of(line.text))
            if (word == name)
                return true;
    return false;
}

void CWriter::append(const CWriter& other) {
    for (const auto& line : other.lines_)
        lines_.push_back({line.text, line.origin, statement_ + 1 + line.statement});
    statement_ += other.statement_ + 1;
}

std::string CWriter::text() const {
    std::string out;
    for (const auto& line : lines_) {
        out += line.text;
        out += '\n';
    }
    return out;
}

std::vector<NodeId> CWriter::origins() const {
    std::vector<NodeId> out;
    for (const auto& line : lines_)
        out.push_back(line.origin);
    return out;
}

} // namespace loopscope::codegen
