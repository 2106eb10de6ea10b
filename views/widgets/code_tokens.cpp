// Tokenisers: enough of each language to colour it. They judge nothing; the parsers do.

#include "views/widgets/code_editor.h"

#include <QByteArrayList>

#include <cctype>
#include <map>
#include <set>
#include <string>

namespace loopscope::views {

namespace {

constexpr int id(CodeStyle style) { return static_cast<int>(style); }

bool name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

const std::set<std::string>& types() {
    static const std::set<std::string> names{"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                                             "u32",  "u64", "f16", "bf16", "f32", "f64"};
    return names;
}

// Words, numbers, strings and a comment sign; `word_style` says what a word is, given what stands
// before it.
template <typename WordStyle>
std::vector<CodeToken> scan(const QByteArray& line, const char* comment, WordStyle word_style) {
    std::vector<CodeToken> tokens;
    const int size = static_cast<int>(line.size());
    const std::string_view sign = comment;
    for (int at = 0; at < size;) {
        const char c = line[at];
        const int begin = at;
        if (!sign.empty() &&
            std::string_view(line.constData() + at, static_cast<std::size_t>(size - at))
                .starts_with(sign)) {
            tokens.push_back({at, size, id(CodeStyle::Comment)});
            break;
        }
        if (name_start(c) || c == '%' || c == '@') {
            ++at;
            while (at < size && (name_part(line[at]) ||
                                 ((c == '%' || c == '@') &&
                                  (line[at] == '.' || line[at] == '-' || line[at] == '$'))))
                ++at;
            const int style = word_style(
                std::string(line.constData() + begin, static_cast<std::size_t>(at - begin)), begin);
            if (style != id(CodeStyle::Plain))
                tokens.push_back({begin, at, style});
        } else if (digit(c)) {
            while (at < size &&
                   (name_part(line[at]) || (line[at] == '.' && at + 1 < size &&
                                            digit(line[at + 1]) && line[at - 1] != '.')))
                ++at;
            tokens.push_back({begin, at, id(CodeStyle::Number)});
        } else if (c == '"') {
            ++at;
            while (at < size && line[at] != '"')
                ++at;
            at = std::min(at + 1, size);
            tokens.push_back({begin, at, id(CodeStyle::Text)});
        } else {
            ++at;
        }
    }
    return tokens;
}

const std::map<std::string, Meaning>& meanings() {
    static const std::map<std::string, Meaning> words{
        {"parallel", Meaning::Parallel},  {"vectorize", Meaning::Vector},
        {"vectorised", Meaning::Vector},  {"vectorized", Meaning::Vector},
        {"unroll", Meaning::Unrolled},    {"unrolled", Meaning::Unrolled},
        {"pipeline", Meaning::Pipelined}, {"bind", Meaning::Block},
    };
    return words;
}

const std::set<std::string>& words_of_c() {
    static const std::set<std::string> words{"for",    "if",     "else",     "return",  "while",
                                             "do",     "static", "inline",   "const",   "restrict",
                                             "struct", "union",  "typedef",  "sizeof",  "switch",
                                             "case",   "break",  "continue", "default", "extern"};
    return words;
}

} // namespace

std::vector<CodeToken> tokenize_schedule(const QByteArray& line) {
    static const std::set<std::string> keywords{"schedule", "for", "target"};
    static const std::set<std::string> words{"native", "guard",    "local",
                                             "shared", "register", "global"};
    const bool header =
        line.trimmed().startsWith("schedule") || line.trimmed().startsWith("target");
    return scan(line, "#", [&](const std::string& word, int begin) {
        const bool method = begin > 0 && line[begin - 1] == '.';
        if (method) {
            const auto meaning = meanings().find(word);
            return meaning == meanings().end() ? id(CodeStyle::Verb) : style_of(meaning->second);
        }
        if (header && keywords.count(word))
            return id(CodeStyle::Keyword);
        return words.count(word) ? id(CodeStyle::Type) : id(CodeStyle::Plain);
    });
}

std::vector<CodeToken> tokenize_pipeline(const QByteArray& line) {
    static const std::set<std::string> keywords{
        "pipeline", "param",  "symbolic", "const", "input", "stage", "update",   "output",
        "for",      "in",     "if",       "else",  "def",   "let",   "boundary", "over",
        "where",    "and",    "or",       "not",   "true",  "false", "edge",     "zero",
        "constant", "mirror", "reflect",  "wrap",  "inf",   "nan"};
    static const std::set<std::string> functions{
        "select", "min",  "max", "clamp", "abs", "sqrt", "rsqrt",  "exp",
        "log",    "tanh", "erf", "sin",   "cos", "pow",  "floor",  "ceil",
        "round",  "fma",  "sum", "prod",  "any", "all",  "argmax", "argmin"};
    return scan(line, "#", [&](const std::string& word, int) {
        return keywords.count(word)    ? id(CodeStyle::Keyword)
               : types().count(word)   ? id(CodeStyle::Type)
               : functions.count(word) ? id(CodeStyle::Verb)
                                       : id(CodeStyle::Plain);
    });
}

std::vector<CodeToken> tokenize_loops(const QByteArray& line) {
    static const std::set<std::string> keywords{
        "for",   "in",     "if",     "else", "let", "store",    "allocate", "launch",  "program",
        "input", "output", "select", "at",   "on",  "evaluate", "serial",   "argument"};
    return scan(line, "#", [&](const std::string& word, int) {
        const auto meaning = meanings().find(word);
        return meaning != meanings().end() ? style_of(meaning->second)
               : keywords.count(word)      ? id(CodeStyle::Keyword)
               : types().count(word)       ? id(CodeStyle::Type)
                                           : id(CodeStyle::Plain);
    });
}

std::vector<CodeToken> tokenize_llvm(const QByteArray& line) {
    static const std::set<std::string> keywords{"define",
                                                "declare",
                                                "ret",
                                                "br",
                                                "label",
                                                "switch",
                                                "phi",
                                                "select",
                                                "call",
                                                "tail",
                                                "load",
                                                "store",
                                                "getelementptr",
                                                "inbounds",
                                                "alloca",
                                                "icmp",
                                                "fcmp",
                                                "add",
                                                "sub",
                                                "mul",
                                                "shl",
                                                "ashr",
                                                "lshr",
                                                "and",
                                                "or",
                                                "xor",
                                                "fadd",
                                                "fsub",
                                                "fmul",
                                                "fdiv",
                                                "sdiv",
                                                "srem",
                                                "udiv",
                                                "urem",
                                                "sext",
                                                "zext",
                                                "trunc",
                                                "fptrunc",
                                                "fpext",
                                                "sitofp",
                                                "fptosi",
                                                "uitofp",
                                                "fptoui",
                                                "bitcast",
                                                "insertelement",
                                                "extractelement",
                                                "shufflevector",
                                                "unreachable",
                                                "attributes",
                                                "source_filename",
                                                "target",
                                                "nuw",
                                                "nsw",
                                                "align"};
    return scan(line, ";", [&](const std::string& word, int) {
        if (word[0] == '%' || word[0] == '@')
            return id(CodeStyle::Name);
        if (keywords.count(word))
            return id(CodeStyle::Keyword);
        const bool integer = word.size() > 1 && word[0] == 'i' && digit(word[1]);
        return integer || word == "float" || word == "double" || word == "half" || word == "ptr" ||
                       word == "void"
                   ? id(CodeStyle::Type)
                   : id(CodeStyle::Plain);
    });
}

// A directive of the preprocessor is one token; comments of several lines are recognised where a
// line begins inside one by its star, as generated code writes them. Instructions have dots in
// their names, "ld.global.v4.f32"; directives begin with one, ".reg".
std::vector<CodeToken> tokenize_ptx(const QByteArray& line) {
    std::vector<CodeToken> tokens;
    const int size = static_cast<int>(line.size());
    bool first = true; // word of the line
    for (int at = 0; at < size;) {
        const char c = line[at];
        const int begin = at;
        if (c == '/' && at + 1 < size && line[at + 1] == '/') {
            tokens.push_back({at, size, id(CodeStyle::Comment)});
            break;
        }
        if (name_start(c) || c == '.' || c == '%' || c == '$' || c == '@') {
            for (++at; at < size && (name_part(line[at]) || line[at] == '.' || line[at] == '$');)
                ++at;
            if (c == '.')
                tokens.push_back({begin, at, id(CodeStyle::Type)});
            else if (first && name_start(c) && !(at < size && line[at] == ':'))
                tokens.push_back({begin, at, id(CodeStyle::Keyword)});
            if (name_start(c))
                first = false;
        } else if (digit(c)) {
            while (at < size && name_part(line[at]))
                ++at;
            tokens.push_back({begin, at, id(CodeStyle::Number)});
        } else {
            ++at;
        }
    }
    return tokens;
}

std::vector<CodeToken> tokenize_c(const QByteArray& line) {
    static const std::set<std::string> plain_types{"void",  "char",   "short",    "int",  "long",
                                                   "float", "double", "unsigned", "bool", "_Bool"};
    const QByteArray start = line.trimmed();
    const int size = static_cast<int>(line.size());
    if (start.startsWith('#'))
        return {{0, size,
                 start.contains("omp") ? style_of(Meaning::Parallel) : id(CodeStyle::Keyword)}};
    if (start.startsWith("/*") || start.startsWith("* ") || start == "*/")
        return {{0, size, id(CodeStyle::Comment)}};
    return scan(line, "//", [&](const std::string& word, int) {
        const bool sized = word.size() > 2 && word.compare(word.size() - 2, 2, "_t") == 0;
        return words_of_c().count(word)           ? id(CodeStyle::Keyword)
               : sized || plain_types.count(word) ? id(CodeStyle::Type)
                                                  : id(CodeStyle::Plain);
    });
}

} // namespace loopscope::views
