#include "compiler/codegen/nvptx/ptx_text.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace loopscope::codegen {

namespace {

std::string_view trimmed(std::string_view text) {
    auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// What stands in the text for debuggers alone.
bool is_noise(std::string_view word, bool in_body) {
    return word.starts_with(".file\t") || word.starts_with(".section\t.debug") ||
           word.starts_with("$L__tmp") || word.starts_with("$L__func_") ||
           word == "// begin inline asm" || word == "// end inline asm" ||
           (in_body && word.empty());
}

// Labels and comments belong to what follows them; declarations come from nowhere.
bool leads(std::string_view word) {
    return word.starts_with("$L__BB") || word.starts_with("//") || word.starts_with(".pragma");
}
bool declares(std::string_view word) {
    return word.starts_with(".") && !word.starts_with(".pragma");
}

class Reader {
public:
    explicit Reader(const std::vector<NodeId>& origins) : origins_(origins) {}

    void line(const std::string& text) {
        const auto word = trimmed(text);
        if (word.starts_with(".loc\t")) {
            location(word);
            return;
        }
        if (text == "{")
            in_body_ = true, current_ = {};
        if (text == "}")
            in_body_ = false;
        if (is_noise(word, in_body_))
            return;
        if (in_body_ && leads(word)) {
            leading_.push_back(result.lines.size());
            add(text, {});
            return;
        }
        const auto origin = in_body_ && text != "{" && !declares(word) ? current_ : NodeId{};
        for (auto index : leading_)
            result.lines[index] = origin;
        leading_.clear();
        add(text, origin);
    }

    OriginText result;

private:
    // ".loc FILE LINE COLUMN"
    void location(std::string_view word) {
        char* end = nullptr;
        std::strtoul(word.data() + 5, &end, 10);
        const auto line = std::strtoul(end, nullptr, 10);
        current_ = line >= 1 && line <= origins_.size() ? origins_[line - 1] : NodeId{};
    }

    void add(const std::string& text, const NodeId& origin) {
        result.text += text;
        result.text += '\n';
        result.lines.push_back(origin);
    }

    const std::vector<NodeId>& origins_;
    NodeId current_;
    std::vector<std::size_t> leading_; // lines that wait for an origin
    bool in_body_ = false;
};

} // namespace

OriginText ptx_with_origins(const std::string& printed, const std::vector<NodeId>& origins) {
    Reader reader(origins);
    std::istringstream in(printed);
    for (std::string line; std::getline(in, line);)
        reader.line(line);
    return std::move(reader.result);
}

} // namespace loopscope::codegen
