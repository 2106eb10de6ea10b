#pragma once
// Loop programs as C11 with OpenMP: readable, for people who take it away, and with the bits of the
// compiled program under every compiler that keeps IEEE arithmetic. Without OpenMP it is the same
// program on one thread.
//
// Expected: a program on the host without vectorised loops but those of elements that `merge_lanes`
// makes; vectors become loops over lanes. Unrolled loops become loops that ask the compiler to
// unroll; flat and unflattened programs both work. Errors: what C has no form for, named with the
// statement it stands in.

#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct COptions {
    std::map<std::string, std::int64_t> sizes; // the pipeline's params: for the comment on top
    std::string schedule;   // its text: for the comment on top; empty: the default schedule
    bool with_main = false; // a main that reads and writes .npy files
};

struct CSource {
    std::string text;
    // per line, the tree node that it comes from; the root's id where there is none
    std::vector<NodeId> lines;
    // void FUNCTION(symbols…, arguments…): the program's name, made legal in C
    std::string function;
};

Result<CSource> c_source(const lower::Program& program, const COptions& options = {});
// Several programs in one file, which share helpers; `functions` receives their names, in order.
Result<std::string> c_source_of_all(const std::vector<lower::Program>& programs,
                                    std::vector<std::string>& functions);

} // namespace loopscope::codegen
