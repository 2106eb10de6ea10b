#include "tests/fuzz/simpler_text.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace loopscope::fuzz {

namespace {

using TextLines = std::vector<std::string>;

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

struct Span {
    std::size_t begin = 0, end = 0; // half-open
};

// Parts between commas and operators with a space on both sides, outside of brackets.
std::vector<Span> parts_of(const std::string& text, Span within) {
    static const TextLines marks = {", ",   " + ",  " - ",  " * ",  " / ", " % ",   " & ",
                                    " | ",  " ^ ",  " << ", " >> ", " < ", " <= ",  " > ",
                                    " >= ", " == ", " != ", " in ", " = ", " and ", " or "};
    std::vector<Span> out;
    int depth = 0;
    std::size_t from = within.begin;
    for (std::size_t i = within.begin; i < within.end; ++i) {
        depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
        if (depth != 0)
            continue;
        for (const auto& mark : marks)
            if (i + mark.size() <= within.end && text.compare(i, mark.size(), mark) == 0) {
                out.push_back({from, i});
                i += mark.size() - 1;
                from = i + 1;
                break;
            }
    }
    out.push_back({from, within.end});
    return out;
}

std::size_t closing(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
        if (depth == 0)
            return i;
    }
    return std::string::npos;
}

class Simpler {
public:
    explicit Simpler(const std::string& line) : line_(line) {}

    TextLines run() {
        conditions();
        right_side();
        for (std::size_t i = 0; i < line_.size(); ++i)
            if (line_[i] == '(' || line_[i] == '[')
                bracket(i);
        words();
        numbers();
        return std::move(out_);
    }

private:
    void replace(Span span, const std::string& by) {
        if (span.begin < span.end && by.size() < span.end - span.begin)
            out_.push_back(line_.substr(0, span.begin) + by + line_.substr(span.end));
    }
    std::string text(Span span) const { return line_.substr(span.begin, span.end - span.begin); }

    void conditions() {
        for (const std::string word : {" where ", " over "}) {
            auto at = line_.find(word);
            if (at == std::string::npos)
                continue;
            auto end = at;
            for (int depth = 0; end < line_.size(); ++end) {
                depth += line_[end] == '(' || line_[end] == '['   ? 1
                         : line_[end] == ')' || line_[end] == ']' ? -1
                                                                  : 0;
                if (depth < 0)
                    break;
            }
            replace({at, end}, "");
        }
    }

    // Simplifies the right side of a definition, which is in no brackets.
    void right_side() {
        auto at = line_.find("= ");
        if (at == std::string::npos)
            return;
        auto end = std::min(line_.find(" over ", at), line_.size());
        whole({at + 2, end}, {at + 2, end});
    }

    // What stands in `inner` may be simpler by `outer` being one of its parts or a constant.
    void whole(Span outer, Span inner) {
        for (const std::string constant : {"0", "1", "true"})
            replace(outer, constant);
        for (auto part : parts_of(line_, inner))
            replace(outer, text(part));
    }

    void bracket(std::size_t open) {
        auto close = closing(line_, open);
        if (close == std::string::npos)
            return;
        const Span inner{open + 1, close};
        if (line_[open] == '(') {
            auto begin = open;
            while (begin > 0 && is_name_letter(line_[begin - 1]))
                --begin;
            whole({begin, close + 1}, inner);
        } else {
            auto begin = open; // an element: a constant in its place
            while (begin > 0 && is_name_letter(line_[begin - 1]))
                --begin;
            if (begin < open && line_.compare(0, begin, "stage ") != 0 &&
                line_.compare(0, begin, "update ") != 0)
                for (const std::string constant : {"0", "1"})
                    replace({begin, close + 1}, constant);
        }
        // Each element of the list: gone, or one of its own parts.
        std::size_t from = inner.begin;
        int depth = 0;
        for (std::size_t i = inner.begin; i <= inner.end; ++i) {
            depth += line_[i] == '(' || line_[i] == '[' ? 1 : 0;
            if (i == inner.end || (depth == 0 && line_[i] == ',')) {
                const Span element{from, i};
                if (i != inner.end)
                    replace({from, std::min(i + 2, inner.end)}, "");
                else if (from > inner.begin)
                    replace({from - 2, i}, "");
                if (element.begin < element.end)
                    whole(element, element);
                from = i + 2;
            }
            depth -= i < inner.end && (line_[i] == ')' || line_[i] == ']') ? 1 : 0;
        }
    }

    void words() {
        for (const std::string word : {", shift", ", pad", "not ", "~", "4*", "2*"})
            for (auto at = line_.find(word); at != std::string::npos; at = line_.find(word, at + 1))
                replace({at, at + word.size()}, "");
        if (auto at = line_.find(" boundary "); at != std::string::npos)
            for (const std::string kind : {"", " boundary edge"})
                replace({at, line_.size()}, kind);
    }

    void numbers() {
        for (std::size_t i = 0; i < line_.size(); ++i) {
            if (!std::isdigit(static_cast<unsigned char>(line_[i])) ||
                (i > 0 && (is_name_letter(line_[i - 1]) || line_[i - 1] == '.')))
                continue;
            auto end = i;
            while (end < line_.size() && std::isdigit(static_cast<unsigned char>(line_[end])))
                ++end;
            const bool fraction = end + 1 < line_.size() && line_[end] == '.' &&
                                  std::isdigit(static_cast<unsigned char>(line_[end + 1]));
            if (fraction || end - i > 6)
                continue;
            const int n = std::stoi(line_.substr(i, end - i));
            int last = n;
            for (int smaller : {0, 1, 2, n / 2, n - 1})
                if (smaller >= 0 && smaller < n && smaller != last) {
                    out_.push_back(line_.substr(0, i) + std::to_string(smaller) +
                                   line_.substr(end));
                    last = smaller;
                }
            i = end;
        }
    }

    const std::string& line_;
    TextLines out_;
};

// "s1" of "stage s1[y, x]: …" and "update s1[…] …"; nothing of other lines.
std::string defined_by(const std::string& line, const std::string& statement) {
    if (!line.starts_with(statement + " "))
        return "";
    auto begin = statement.size() + 1, end = begin;
    while (end < line.size() && is_name_letter(line[end]))
        ++end;
    return line.substr(begin, end - begin);
}

std::string with_word(const std::string& text, const std::string& word, const std::string& other) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const bool starts = i == 0 || !is_name_letter(text[i - 1]);
        const auto end = i + word.size();
        if (starts && text.compare(i, word.size(), word) == 0 &&
            (end >= text.size() || !is_name_letter(text[end]))) {
            out += other;
            i = end;
        } else {
            out += text[i++];
        }
    }
    return out;
}

} // namespace

TextLines lines_of(const std::string& text) {
    TextLines out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

std::string joined(const TextLines& lines) {
    std::string out;
    for (const auto& line : lines)
        out += line + "\n";
    return out;
}

TextLines simpler_line(const std::string& line) { return Simpler(line).run(); }

TextLines without_a_stage(const std::string& pipeline) {
    const auto lines = lines_of(pipeline);
    TextLines out, before;
    for (const auto& line : lines) {
        auto stage = defined_by(line, "stage");
        if (!stage.empty())
            for (const auto& other : before) {
                TextLines fewer;
                for (const auto& l : lines)
                    if (defined_by(l, "stage") != stage && defined_by(l, "update") != stage)
                        fewer.push_back(with_word(l, stage, other));
                out.push_back(joined(fewer));
            }
        if (stage.empty())
            stage = defined_by(line, "input");
        if (!stage.empty())
            before.push_back(stage);
    }
    return out;
}

TextLines other_outputs(const std::string& pipeline) {
    const auto lines = lines_of(pipeline);
    TextLines out;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const auto stage = defined_by(lines[at], "output");
        if (stage.empty())
            continue;
        for (const auto& line : lines) {
            const auto other = defined_by(line, "stage");
            if (other == stage)
                break;
            if (other.empty())
                continue;
            // Behind the other nothing is needed of it any more.
            TextLines fewer;
            for (const auto& l : lines) {
                if (defined_by(l, "stage") == stage || defined_by(l, "update") == stage)
                    continue;
                fewer.push_back(defined_by(l, "output") == stage
                                    ? "output " + other + l.substr(l.find(':'))
                                    : l);
            }
            out.push_back(joined(fewer));
        }
    }
    return out;
}

TextLines simpler_types(const std::string& pipeline) {
    TextLines out;
    for (const std::string type :
         {"i8", "i16", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f64", "bool", "f32"})
        for (const std::string plain : {"i32", "f32"}) {
            auto other = with_word(pipeline, type, plain);
            if (type != plain && (type != "f32" || plain == "i32") && other != pipeline)
                out.push_back(std::move(other));
        }
    return out;
}

} // namespace loopscope::fuzz
