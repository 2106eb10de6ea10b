#pragma once
// Expands the statements of a `.loop` file into stages: params, consts and defs are resolved, `for`
// and `if` unrolled, templates filled in, definitions typed. Bounds are checked afterwards
// (bounds_check.h).

#include "core/language/elaborate.h"

#include <deque>
#include <map>

namespace loopscope {

constexpr std::int64_t kStatementLimit = 1'000'000; // after expansion

class Expander {
public:
    Expander(const ast::File& file, const std::map<std::string, std::int64_t>& params,
             Reporter& reporter);

    void run();
    Program& program() { return program_; }
    // Values set by the caller for params that the file does not have.
    Diagnostics unknown_params() const;
    // Params, consts and defs that nothing used.
    Diagnostics unused_names();

private:
    // expand.cpp
    void statements(const std::vector<ast::StatementPtr>& list, const NameScope& scope);
    void statement(const ast::Statement& s, const NameScope& scope);
    void param(const ast::Statement& s, const NameScope& scope);
    void constant(const ast::Statement& s, const NameScope& scope);
    void def(const ast::Statement& s, const NameScope& scope);
    void for_block(const ast::Statement& s, const NameScope& scope);
    void if_block(const ast::Statement& s, const NameScope& scope);
    void lose(const ast::Statement& s, const NameScope& scope);
    // False after an error: the name is taken.
    bool define(const ast::Statement& s, const std::string& name, Meaning meaning,
                const NameScope& scope);
    bool check_free(const ast::Statement& s, const std::string& name, const NameScope& scope);
    void collect_names(const std::vector<ast::StatementPtr>& list);
    void collect_axis_names(const ast::Expr& e);

    // define_stage.cpp, define_update.cpp (updates)
    void input(const ast::Statement& s, const NameScope& scope);
    void stage(const ast::Statement& s, const NameScope& scope);
    void update(const ast::Statement& s, const NameScope& scope);
    void output(const ast::Statement& s, const NameScope& scope);
    // The number of a new stage or input, broken until it is complete; -1 after an error.
    int new_stage(const ast::Statement& s, const NameScope& scope, bool is_input);
    bool variables(const ast::Statement& s, const NameScope& scope, std::deque<Local>& locals);
    bool extents(const ast::Statement& s, const NameScope& scope, const std::string& what,
                 std::int64_t element_bytes, std::vector<Extent>& out);
    bool axes(const std::vector<ast::Axis>& list, NameScope& scope, std::deque<Local>& locals,
              std::vector<ReductionAxis>& out);
    // The rank of an argmin or argmax: its axis, or the position among several. Null after an
    // error.
    ExprPtr rank(const ast::Expr& e, const NameScope& scope,
                 const std::vector<ReductionAxis>& axes);
    // The types as written; empty if none are.
    static std::vector<ScalarType> scalar_types(const ast::Statement& s);
    bool definition(const ast::Expr& e, NameScope scope, const std::vector<ScalarType>& types,
                    std::deque<Local>& locals, Definition& out);
    bool reduction(const ast::Expr& e, NameScope scope, const std::vector<ScalarType>& types,
                   std::deque<Local>& locals, Definition& out);
    bool boundary(const ast::Statement& s, const NameScope& scope, Stage& stage);
    bool check_types(const ast::Statement& s, const std::vector<ScalarType>& found,
                     const NameScope& scope);
    bool check_update(const ast::Statement& s, const NameScope& scope, const Stage& stage,
                      const Definition& d);
    bool update_left(const ast::Statement& s, const NameScope& scope,
                     const DefinitionContext& context, Definition& out);

    const ast::File& file_;
    const std::map<std::string, std::int64_t>& params_;
    Reporter& reporter_;
    Program program_;
    Elaborator elaborator_;
    std::int64_t statements_ = 0;
    int blocks_ = 0;
    bool stopped_ = false; // a limit was reached

    // By the place of the definition: a const in a loop is used if one of its iterations is.
    struct Usage {
        std::string name;
        MeaningKind kind = MeaningKind::Broken;
        ast::Span where;
        bool used = false;
    };
    void note_usage(const std::string& name, const Meaning& meaning);
    std::map<std::uint32_t, Usage> usage_;
};

} // namespace loopscope
