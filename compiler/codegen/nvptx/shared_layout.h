#pragma once
// The places of a block's shared allocations. The pass reuse_storage gives offsets to those that it
// plans; others lie behind them, each at a place of its own. The sum is that of
// lower::shared_bytes.

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/program.h"

#include <map>
#include <string>

namespace loopscope::codegen {

constexpr std::int64_t kStaticSharedBytes = 48 << 10; // more has to be asked for by the launch

class SharedLayout {
public:
    explicit SharedLayout(const lower::StatementPtr& body);
    std::int64_t bytes() const { return bytes_; }
    std::int64_t alignment() const { return alignment_; } // of the whole
    std::int64_t offset(const std::string& buffer) const { return places_.at(buffer).offset; }
    bool holds(const std::string& buffer) const { return places_.count(buffer) != 0; }
    // Do the two share memory?
    bool overlap(const std::string& a, const std::string& b) const;

private:
    struct Place {
        std::int64_t offset = 0, bytes = 0;
    };
    std::map<std::string, Place> places_;
    std::int64_t bytes_ = 0, alignment_ = lower::kSharedAlignment;
};

} // namespace loopscope::codegen
