#pragma once
// Tokens of the text form of loop programs.

#include "core/base/source.h"

#include <string>
#include <vector>

namespace loopscope::lower {

struct Token {
    enum class Kind { Name, Number, Symbol, Origin, NewLine, End, Bad } kind = Kind::End;
    std::string text;      // Origin: what follows "@ ", to the end of the line
    std::size_t begin = 0; // byte offsets
    std::size_t end = 0;
};

// Comments ("// …") and blank lines vanish; lines end in one NewLine token. The last token is End.
std::vector<Token> tokenize(const SourceFile& file);

} // namespace loopscope::lower
