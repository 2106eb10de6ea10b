#pragma once
// The statements of loop programs as statements of C, or of a language close to it: loops,
// conditions, lets, stores of elements and of lanes. Targets override what they do in ways of their
// own. stores.cpp has the stores and atomic steps.

#include "compiler/codegen/c/expression.h"
#include "compiler/codegen/c/writer.h"
#include "compiler/lower/program.h"

#include <functional>

namespace loopscope::codegen {

constexpr std::int64_t kMaxUnrolled = 1024; // iterations that a compiler is asked to write out

class CStatements {
public:
    virtual ~CStatements() = default;
    // Functions of the prelude that were called.
    const std::vector<std::pair<std::string, ScalarType>>& called() const {
        return expressions_.called;
    }

protected:
    using Statement = lower::Statement;

    CStatements(CNames& names, CHelpers& helpers, const CDialect& dialect)
        : names_(names),
          helpers_(helpers),
          dialect_(dialect),
          expressions_(names, helpers, dialect) {}

    // Writes what stands before a loop, such as a hint to the compiler; `unrolled`: its iterations,
    // where they are to be written out.
    virtual void before_loop(const Statement& s, std::optional<std::int64_t> unrolled) = 0;
    virtual void end_of_loop(const Statement&) {} // inside, after the body
    virtual void before_lanes(bool independent, const NodeId& origin) = 0;
    virtual void allocate(const Statement& s) = 0;
    virtual void prefetch(const Statement& s) = 0;
    virtual void device_step(const Statement&) {
    } // barriers and the like, which the host does not have
    virtual std::string streamed(const Statement& s, const std::string& place,
                                 const std::string& value) = 0;
    virtual std::string atomic_step(const Statement& s, const std::string& place,
                                    const std::string& value) = 0;
    virtual void after(const Statement&) {}
    virtual void let_scalar(const Statement& s);
    virtual void let_vector(const Statement& s);
    virtual void loop(const Statement& s);
    virtual void store_vector(const Statement& s, int count);

    void statement(const Statement& s);
    void children(const Statement& s);
    void nested(const Statement& s); // in braces that are already open
    void store(const Statement& s);
    void stage_comment(const Statement& s);
    void declarations(const NodeId& origin);
    std::string scoped_name(const Statement& s, const std::string& name);
    void bind_buffer(const std::string& buffer, const std::string& name, ScalarType type,
                     const std::vector<Extent>& extents);
    // An allocation's name, and how many elements it has, as text.
    std::string buffer_name(const Statement& s);
    std::string count_text(const std::vector<Extent>& extents);
    // A loop over lanes around what `body` writes.
    void over_lanes(int count, bool independent, const NodeId& origin,
                    const std::function<void()>& body);
    // One statement, where the mask holds (null: always). `together`: its expressions.
    void guarded(const ExprPtr& mask, const NodeId& origin, const std::vector<ExprPtr>& together,
                 const std::function<std::string()>& text);
    std::string assignment(const Statement& s, const std::string& value); // to the element

    CNames& names_;
    CHelpers& helpers_;
    const CDialect& dialect_;
    CExpressions expressions_;
    CWriter out_;
    bool flat_ = false;
    std::string stage_; // that the comments named last

private:
    void begin_loop(const Statement& s);
    void conditional(const Statement& s);
    void store_lanes(const Statement& s, int count);
    void store_held(const Statement& s, int count);
    void atomic(const Statement& s);
};

// Elements in all; -1: not known, or beyond counting.
std::int64_t element_count(const std::vector<Extent>& extents);

} // namespace loopscope::codegen
