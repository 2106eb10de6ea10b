// Finds a value's bytes in a JSON text. The text has been parsed before, so only what separates
// values matters here.
#include "core/device/json_reader.h"

#include <cctype>

namespace loopscope::device {

namespace {

class Scanner {
public:
    explicit Scanner(const std::string& text) : text_(text) {}

    std::size_t at() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            ++at_;
        return at_;
    }
    char look() { return at() < text_.size() ? text_[at_] : '\0'; }
    void skip_character() { at(), ++at_; }

    std::string read_text() { // of a key: escapes do not occur in the keys that are looked for
        std::size_t begin = at() + 1;
        skip_text();
        return text_.substr(begin, at_ - 1 - begin);
    }

    void skip_value() {
        int depth = 0;
        do {
            char c = look();
            if (c == '"') {
                skip_text();
            } else if (c == '{' || c == '[') {
                ++depth, ++at_;
            } else if (c == '}' || c == ']') {
                --depth, ++at_;
            } else if (c == ',' || c == ':') {
                ++at_;
            } else {
                while (at_ < text_.size() &&
                       !std::isspace(static_cast<unsigned char>(text_[at_])) &&
                       std::string(",:]}").find(text_[at_]) == std::string::npos)
                    ++at_;
            }
        } while (depth > 0 && at_ < text_.size());
    }

    // Moves from the beginning of a container to the beginning of one of its values; false if it
    // has none such.
    bool enter(const std::string& step) {
        char kind = look();
        if (kind != '{' && kind != '[')
            return false;
        skip_character();
        for (std::size_t index = 0; look() != '}' && look() != ']' && look() != '\0'; ++index) {
            std::string name = std::to_string(index);
            if (kind == '{') {
                name = read_text();
                skip_character(); // the colon
            }
            if (name == step)
                return true;
            skip_value();
            if (look() == ',')
                skip_character();
        }
        return false;
    }
    void move_to(std::size_t place) { at_ = place; }

private:
    void skip_text() {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
            at_ += text_[at_] == '\\';
        ++at_;
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

} // namespace

std::pair<std::size_t, std::size_t> locate(const std::string& text,
                                           const std::vector<std::string>& path) {
    Scanner scanner(text);
    std::size_t begin = scanner.at();
    for (const auto& step : path) {
        if (!scanner.enter(step))
            break;
        begin = scanner.at();
    }
    scanner.move_to(begin);
    scanner.skip_value();
    return {begin, std::max(begin, scanner.at())};
}

} // namespace loopscope::device
