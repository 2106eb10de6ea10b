#pragma once
// Functions of the prelude as functions of C, each once in a file.

#include "compiler/codegen/c/helpers.h"
#include "compiler/codegen/c/writer.h"

#include <set>
#include <utility>

namespace loopscope::codegen {

class CPrelude {
public:
    // Keeps names of the program clear of all of them. `beside`: functions that stand before these
    // in the file, and are not written again.
    CPrelude(CNames& names, CHelpers& helpers, const CPrelude* beside = nullptr);
    void add(const std::string& name, ScalarType type);
    const CWriter& text() const { return text_; }

private:
    CNames& names_;
    CHelpers& helpers_;
    const CPrelude* const beside_;
    CWriter text_;
    std::set<std::pair<std::string, ScalarType>> written_;
};

} // namespace loopscope::codegen
