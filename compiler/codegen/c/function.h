#pragma once
// One loop program as one C function, for the host.

#include "compiler/codegen/c/macros.h"
#include "compiler/codegen/c/statements.h"

#include <map>

namespace loopscope::codegen {

class CFunction final : public CStatements {
public:
    // `dialect`: of its own text; the helpers have theirs.
    CFunction(CNames& names, CHelpers& helpers, CMacros& macros, const CDialect& dialect)
        : CStatements(names, helpers, dialect), macros_(macros) {}

    // The whole function; `name` is its identifier.
    CWriter print(const lower::Program& program, const std::string& name);
    // The arguments' identifiers, in the program's order.
    const std::vector<std::string>& arguments() const { return arguments_; }

private:
    void before_loop(const Statement& s, std::optional<std::int64_t> unrolled) override;
    void end_of_loop(const Statement& s) override;
    void before_lanes(bool independent, const NodeId& origin) override;
    void allocate(const Statement& s) override;
    void prefetch(const Statement& s) override;
    std::string streamed(const Statement& s, const std::string& place,
                         const std::string& value) override;
    std::string atomic_step(const Statement& s, const std::string& place,
                            const std::string& value) override;
    void after(const Statement& s) override;

    std::string signature(const lower::Program& program, const std::string& name);

    CMacros& macros_;
    bool streams_ = false; // some store does
    std::int64_t stack_bytes_ = 0;
    // Allocations on the heap, by the statement after which nothing accesses them.
    std::map<const Statement*, std::vector<std::pair<std::string, NodeId>>> frees_;
    std::vector<std::string> arguments_;
};

} // namespace loopscope::codegen
