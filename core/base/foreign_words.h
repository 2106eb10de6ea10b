#pragma once
// Words and signs of Halide, TVM, C and Python that people write out of habit, with the way to say
// the same in the languages of this program: one table, for all places that find something unknown.
// Words that are merely misspelt are left to nearest_name (diagnostic.h).

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

// What was expected where the word stands.
enum class ForeignPlace {
    Sign,      // an operator or another sign, of both languages: "&&"
    Bracket,   // a bracket where ours have another: "(" behind a new stage's name
    Operator,  // a word or a sign between two expressions, or before one: "xor", "if", "?"
    Word,      // inside of an expression: a function or a constant
    Type,      // the name of a type; `ours` is a type's name alone
    Suffix,    // of a number: "f"; `ours` is a type's name alone
    Statement, // the first word of a statement of a pipeline
    Directive, // a verb of a schedule
    Level,     // a level of a target; `ours` is one alone, as with the next three
    Scope,     // a memory
    Tail,      // what becomes of a split's last tile
};

struct ForeignWord {
    ForeignPlace place;
    std::string_view word;
    std::string_view ours; // a remedy, or the word of ours
};

const std::vector<ForeignWord>& foreign_words();

// The remedy for a foreign word. Empty: the word is in no table. A type's name is known inside of
// an expression and at the start of a statement too.
std::string foreign_remedy(ForeignPlace place, std::string_view word);

} // namespace loopscope
