#pragma once
// Names while a pipeline is expanded: what they stand for, where they are visible.

#include "core/ir/pipeline.h"
#include "core/language/ast.h"
#include "core/language/exact.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace loopscope {

// An expression's value: an exact constant that has no type yet, or a typed expression.
struct Value {
    std::optional<Exact> exact;
    ExprPtr expr;           // null when exact
    std::uint32_t size = 1; // nodes, of the tree that a shared graph stands for; saturates
    std::uint16_t depth = 1;
    // typed by default only: constants under a select, which another operand's type overrides
    bool adaptable = false;
    bool has_let = false; // must not stand in two places, for names of lets are unique

    ScalarType type() const { return expr->type; }
};

enum class MeaningKind : std::uint8_t { Param, LoopVariable, Const, Def, Stage, Input, Broken };
const char* name(MeaningKind kind);                              // "param"
std::string with_article(MeaningKind kind);                      // "a param", "an input"
std::string counted(std::size_t count, const std::string& noun); // "1 index name", "2 index names"

struct Environment;

// What a name at the level of statements stands for.
struct Meaning {
    MeaningKind kind = MeaningKind::Broken;
    std::uint64_t sequence = 0; // later definitions have greater numbers
    ast::Span where;
    Value value;                              // Param, LoopVariable, Const
    const ast::Statement* def = nullptr;      // Def
    std::shared_ptr<Environment> environment; // Def: where it was written
    int stage = -1;                           // Stage, Input
    mutable bool used = false;
};

// One iteration of a `for`: its variable, and the consts and defs written in its block.
struct Environment : std::enable_shared_from_this<Environment> {
    std::shared_ptr<Environment> parent;
    std::map<std::string, Meaning> names;
    std::string iteration; // "l=3", "l=3, m=0"
    std::string group;     // "l=3/m=0"
};

struct NameScope;

// A name inside an expression: an axis, a let, a parameter of a def. Lives on the stack of the
// expansion.
struct Local {
    enum class Kind : std::uint8_t { Axis, Let, Parameter, Poison };
    const Local* parent = nullptr;
    std::string name;
    Kind kind = Kind::Poison;
    Value value; // Axis, Let; an index name of a def
    // Parameter: evaluated where it is used, in the caller's scope
    const ast::Expr* argument = nullptr;
    const NameScope* caller = nullptr;
    mutable std::optional<Value> evaluated; // Parameter
    mutable bool failed = false;
};
const char* name(Local::Kind kind); // "axis"

// An index variable, or an axis of a reduction or an update, becomes visible in `scope`; it lives
// in `locals`.
void add_axis(const std::string& name, SourceRange where, std::deque<Local>& locals,
              NameScope& scope);

// "f32", or "(f32, i32)" of a tuple.
std::string type_text(const std::vector<ScalarType>& types);

// Which definition an expression belongs to; null for compile-time expressions.
struct DefinitionContext {
    int stage = -1;
    bool update = false;
    std::vector<std::string> free; // per dimension: the variable that is free there, or empty
};

// An expansion of a def, for messages.
struct Expansion {
    const Expansion* parent = nullptr;
    std::string def;
    ast::Span use;
};

// What an expression sees.
struct NameScope {
    const Local* locals = nullptr;
    Environment* environment = nullptr; // of the innermost `for`
    // names defined later are not seen
    std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
    bool constant = false; // evaluated at load: no axes, no reads; typed constants are folded
    const DefinitionContext* definition = nullptr;
    const Expansion* expansion = nullptr;
};

// Stages and inputs as they are built, and all names.
struct Program {
    struct StageState {
        Stage stage;
        ast::Span where;
        bool broken = false; // reported; reads of it say nothing more
        std::string reader;  // the first other stage that reads it
    };
    std::vector<StageState> stages;
    std::vector<Param> params;
    std::vector<Output> outputs;
    std::unordered_set<std::string> output_names;
    std::unordered_map<std::string, Meaning> globals;
    std::uint64_t sequence = 0;
    // Names of lets in use, and all names that the text gives to axes: new lets avoid both.
    std::unordered_map<std::string, int> let_names;
    // All names that the text defines without a template, to tell a name that comes later from an
    // unknown one.
    std::unordered_map<std::string, ast::Span> written_names;
    // Beginnings of template names whose definitions were lost to an error: such names are not
    // reported as unknown.
    std::vector<std::string> lost_names;
};

} // namespace loopscope
