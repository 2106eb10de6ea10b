#pragma once
// One loop program as one C function; stores.cpp has what storage, stores and atomic steps become.

#include "compiler/codegen/c/expression.h"
#include "compiler/codegen/c/writer.h"
#include "compiler/lower/program.h"

#include <functional>
#include <map>
#include <set>

namespace loopscope::codegen {

// Which of the file's macros its functions use.
struct CMacros {
    bool parallel = false, simd = false, unroll = false, stream = false, prefetch = false;
};

class CFunction {
public:
    CFunction(CNames& names, CHelpers& helpers, CMacros& macros)
        : names_(names), helpers_(helpers), macros_(macros), expressions_(names, helpers) {}

    // The whole function; `name` is its identifier.
    CWriter print(const lower::Program& program, const std::string& name);
    // Functions of the prelude that it calls.
    const std::vector<std::pair<std::string, ScalarType>>& called() const {
        return expressions_.called;
    }
    // The arguments' identifiers, in the program's order.
    const std::vector<std::string>& arguments() const { return arguments_; }

private:
    using Statement = lower::Statement;

    std::string signature(const lower::Program& program, const std::string& name);
    void bind_buffer(const std::string& buffer, const std::string& name, ScalarType type,
                     const std::vector<Extent>& extents);
    void statement(const Statement& s);
    void children(const Statement& s);
    void nested(const Statement& s); // in braces that are already open
    void stage_comment(const Statement& s);
    void loop(const Statement& s);
    void begin_loop(const Statement& s);
    void conditional(const Statement& s);
    void let_scalar(const Statement& s);
    void let_vector(const Statement& s);
    void store(const Statement& s);
    void store_lanes(const Statement& s, int count);
    void store_held(const Statement& s, int count);
    std::string assignment(const Statement& s, const std::string& value); // to the element
    void atomic(const Statement& s);
    void prefetch(const Statement& s);
    void allocate(const Statement& s);
    // A loop over lanes around what `body` writes.
    void over_lanes(int count, bool independent, const NodeId& origin,
                    const std::function<void()>& body);
    void guarded(const ExprPtr& mask, const NodeId& origin, const std::vector<ExprPtr>& together,
                 const std::function<std::string()>& text);
    void declarations(const NodeId& origin);
    std::string scoped_name(const Statement& s, const std::string& name);

    CNames& names_;
    CHelpers& helpers_;
    CMacros& macros_;
    CExpressions expressions_;
    CWriter out_;
    bool flat_ = false;
    bool streams_ = false; // some store does
    std::int64_t stack_bytes_ = 0;
    // Storage from the heap, by the statement after which nothing accesses it.
    std::map<const Statement*, std::vector<std::pair<std::string, NodeId>>> frees_;
    std::string stage_; // that the comments named last
    std::vector<std::string> arguments_;
};

} // namespace loopscope::codegen
