#include "compiler/lower/program_lexer.h"

#include <cctype>

namespace loopscope::lower {

namespace {

bool starts_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool continues_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
public:
    explicit Lexer(const std::string& text) : text_(text) {}

    std::vector<Token> run() {
        while (at_ < text_.size())
            next();
        add(Token::Kind::NewLine, at_, at_);
        add(Token::Kind::End, at_, at_);
        return std::move(out_);
    }

private:
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    void add(Token::Kind kind, std::size_t begin, std::size_t end) {
        if (kind == Token::Kind::NewLine &&
            (out_.empty() || out_.back().kind == Token::Kind::NewLine))
            return;
        out_.push_back({kind, text_.substr(begin, end - begin), begin, end});
    }

    void next() {
        char c = peek();
        auto begin = at_;
        if (c == '\n') {
            add(Token::Kind::NewLine, begin, ++at_);
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++at_;
        } else if (c == '/' && peek(1) == '/') {
            skip_line();
        } else if (c == '@') {
            origin();
        } else if (starts_name(c)) {
            name();
            add(Token::Kind::Name, begin, at_);
        } else if (is_digit(c)) {
            number();
            add(Token::Kind::Number, begin, at_);
        } else {
            symbol();
        }
    }

    void skip_line() {
        while (at_ < text_.size() && peek() != '\n')
            ++at_;
    }

    void origin() {
        ++at_;
        while (peek() == ' ')
            ++at_;
        auto begin = at_;
        skip_line();
        auto end = at_;
        while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1])))
            --end;
        add(Token::Kind::Origin, begin, end);
    }

    // Names may have inner dots ("C.io"); two dots are a range.
    void name() {
        while (continues_name(peek()) || (peek() == '.' && continues_name(peek(1))))
            ++at_;
    }

    void number() {
        if (peek() == '0' && peek(1) == 'x') {
            at_ += 2;
            while (std::isxdigit(static_cast<unsigned char>(peek())))
                ++at_;
            return;
        }
        while (is_digit(peek()))
            ++at_;
        if (peek() == '.' && is_digit(peek(1)))
            do
                ++at_;
            while (is_digit(peek()));
        bool sign = peek(1) == '+' || peek(1) == '-';
        if (peek() == 'e' && is_digit(peek(sign ? 2 : 1))) {
            at_ += sign ? 2 : 1;
            while (is_digit(peek()))
                ++at_;
        }
        while (continues_name(peek())) // a type suffix
            ++at_;
    }

    void symbol() {
        static const char* const kLong[] = {"..+", "..", "<<", ">>", "<=", ">=", "==", "!="};
        for (const char* s : kLong)
            if (text_.compare(at_, std::string(s).size(), s) == 0) {
                auto begin = at_;
                at_ += std::string(s).size();
                return add(Token::Kind::Symbol, begin, at_);
            }
        bool known = std::string("()[]{}+-*/%<>=~&|^,:#").find(peek()) != std::string::npos;
        add(known ? Token::Kind::Symbol : Token::Kind::Bad, at_, at_ + 1);
        ++at_;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    std::vector<Token> out_;
};

} // namespace

std::vector<Token> tokenize(const SourceFile& file) { return Lexer(file.text()).run(); }

} // namespace loopscope::lower
