#pragma once
// Functions of the prelude as functions of C, each once in a file.

#include "compiler/codegen/c/helpers.h"
#include "compiler/codegen/c/writer.h"

#include <set>
#include <utility>

namespace loopscope::codegen {

class CPrelude {
public:
    // Keeps names of the program clear of all of them.
    CPrelude(CNames& names, CHelpers& helpers);
    void add(const std::string& name, ScalarType type);
    const CWriter& text() const { return text_; }

private:
    CNames& names_;
    CHelpers& helpers_;
    CWriter text_;
    std::set<std::pair<std::string, ScalarType>> written_;
};

} // namespace loopscope::codegen
