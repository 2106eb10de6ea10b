#pragma once
// Results of code generation beside the code: texts for people to read, and the time it took.

#include "core/schedule/identity.h"

#include <string>
#include <vector>

namespace loopscope::codegen {

// A text with, for each of its lines, the tree node that the line comes from (the root's id where
// none is known: declarations, and what LLVM merged from several places).
struct OriginText {
    std::string text;
    std::vector<NodeId> lines;
};

struct CompileSeconds {
    double build = 0;    // loop program -> LLVM IR
    double optimize = 0; // LLVM's O2, without its loop vectoriser, SLP, unroller
                         // and idiom recognition
    double generate = 0; // -> machine code, or PTX
    double link = 0;
    double total() const { return build + optimize + generate + link; }
};

} // namespace loopscope::codegen
