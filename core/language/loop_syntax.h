#pragma once
// Parsing `.loop` text into its syntax tree: recursive descent with a depth counter, recovery at
// each statement.

#include "core/language/ast.h"
#include "core/language/lexer.h"
#include "core/language/reporter.h"

namespace loopscope {

// levels of brackets, blocks, operators on one operand (languages.md, "Errors")
constexpr int kNestingLimit = 256;
// Operators one inside the other, as the first `+` of a + b + c … is in all that follow; before and
// after expansion.
constexpr int kDepthLimit = 2'000;
constexpr std::size_t kRankLimit = 32;       // dimensions of an array, axes of a reduction
constexpr std::size_t kParameterLimit = 256; // of a def
constexpr std::size_t kTupleLimit = 16;      // components of a stage

// The tree of all statements that could be read; the others are there as Broken, so that what they
// would have defined is not reported as unknown. Errors go to `reporter`.
ast::File parse_loop_syntax(const LexedText& text, Reporter& reporter);

// The tokens of a `.loop` text.
LexedText lex_loop(const SourceFilePtr& source);

} // namespace loopscope
