#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

using Words = std::vector<std::string_view>;

bool contains(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

const Words kStatements = {"pipeline", "param",  "symbolic", "const", "input", "stage",
                           "update",   "output", "for",      "if",    "else",  "def"};
const Words kInner = {"boundary", "over", "where", "in",    "let", "and",
                      "or",       "not",  "true",  "false", "inf", "nan"};
const Words kReductions = {"sum", "prod", "min", "max", "any", "all", "argmax", "argmin"};
const Words kFunctions = {"select", "clamp", "abs",  "sqrt",      "rsqrt", "exp",   "log",
                          "tanh",   "erf",   "sin",  "cos",       "pow",   "floor", "ceil",
                          "round",  "fma",   "bits", "from_bits", "fmin",  "fmax",  "saturate"};
const Words kTypes = {"bool", "i8",  "i16", "i32",  "i64", "u8", "u16",
                      "u32",  "u64", "f16", "bf16", "f32", "f64"};

} // namespace

bool is_statement_word(std::string_view word) { return contains(kStatements, word); }
bool is_keyword(std::string_view word) {
    return contains(kStatements, word) || contains(kInner, word);
}
bool is_reduction(std::string_view word) { return contains(kReductions, word); }
bool is_type_name(std::string_view word) { return contains(kTypes, word); }

bool is_function(std::string_view word) {
    return contains(kFunctions, word) || contains(kReductions, word);
}

bool is_reserved(std::string_view word) {
    return is_keyword(word) || is_function(word) || is_type_name(word);
}

const std::vector<std::string_view>& statement_words() { return kStatements; }

const std::vector<std::string>& function_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out(kFunctions.begin(), kFunctions.end());
        out.insert(out.end(), kReductions.begin(), kReductions.end());
        return out;
    }();
    return names;
}

const std::vector<std::string>& type_names() {
    static const std::vector<std::string> names(kTypes.begin(), kTypes.end());
    return names;
}

} // namespace loopscope
