#pragma once
// From syntax to typed expressions: resolves names, expands defs and lets, applies the typing rules
// of languages.md. A null result means that an error was reported (or that a name's own definition
// had one).

#include "core/language/reporter.h"
#include "core/language/scope.h"

namespace loopscope {

class Elaborator {
public:
    Elaborator(Program& program, Reporter& reporter) : program_(program), reporter_(reporter) {}

    using Type = std::optional<ScalarType>;
    using MaybeValue = std::optional<Value>;

    // `wanted`: the type that a constant alone takes; it does not force a typed expression.
    MaybeValue value(const ast::Expr& e, const NameScope& scope, Type wanted = {});
    // The typed components of an expression at the root of a definition: one, or those of a tuple,
    // of a let around one, or of a def that gives one. Constants take the types `wanted`, where
    // there are so many. Empty after an error.
    std::vector<ExprPtr> components(const ast::Expr& e, const NameScope& scope,
                                    const std::vector<ScalarType>& wanted);
    // A typed expression: constants take `wanted`, else i32 or f32.
    MaybeValue typed_value(const ast::Expr& e, const NameScope& scope, Type wanted = {});
    // `v` as a typed expression, if it is exact; see above.
    MaybeValue materialize(const MaybeValue& v, ast::Span at, const NameScope& scope,
                           Type wanted = {});
    // A whole number known at load.
    std::optional<std::int64_t> whole(const ast::Expr& e, const NameScope& scope,
                                      const std::string& what);
    // A condition: bool.
    MaybeValue condition(const ast::Expr& e, const NameScope& scope, const std::string& what);
    // An index: of an integer type; constants are i32.
    MaybeValue index(const ast::Expr& e, const NameScope& scope);

    // The constant in a type, or null after an error at `at`.
    ExprPtr constant(const Exact& exact, ScalarType type, ast::Span at, const NameScope& scope);

    // The text of a name with its templates filled in; null after an error. Refuses reserved words.
    std::optional<std::string> text(const ast::Name& name, const NameScope& scope);

    // What a statement-level name stands for, seen from `scope`; null if unknown or not visible
    // there.
    const Meaning* find(const std::string& name, const NameScope& scope) const;
    // False, with an error, if `name` would hide a name that `scope` sees.
    bool check_hides_nothing(const std::string& name, const char* what, ast::Span at,
                             const NameScope& scope);

    void fail(ast::Span at, const NameScope& scope, std::string message, std::string remedy = {},
              std::string code = {});
    void unknown(const std::string& name, ast::Span at, const NameScope& scope, bool function);
    // Reports every name of a def's body that nothing defines.
    void check_names(const ast::Statement& def, const NameScope& scope);

    // Counts the work of expansion; false once there is too much of it, reported at `at`.
    bool spend(std::uint64_t steps, ast::Span at);
    bool exhausted() const { return exhausted_; }

private:
    struct Operand {
        Value value;
        const ast::Expr* source;
    };
    struct Function { // what can be indexed: a stage or input, or a def applied to its arguments
        int stage = -1;
        const Meaning* def = nullptr;
        const ast::Expr* call = nullptr;
        NameScope scope; // of the call's arguments
    };

    // The wanted component of an expression that may be a tuple; `count` is set when one is met.
    struct Part {
        std::size_t which = 0;
        std::size_t count = 1;
    };

    // elaborate.cpp; `part` is null where there must be a single value
    MaybeValue part_value(const ast::Expr& e, const NameScope& scope, Type wanted, Part* part);
    MaybeValue dispatch(const ast::Expr& e, const NameScope& scope, Type wanted, Part* part);
    MaybeValue tuple(const ast::Expr& e, const NameScope& scope, Type wanted, Part* part);
    MaybeValue literal(const ast::Expr& e, const NameScope& scope);
    MaybeValue number(const ast::Expr& e, const NameScope& scope, bool negative);
    MaybeValue let_in(const ast::Expr& e, const NameScope& scope, Type wanted, Part* part);
    MaybeValue build(ExprPtr e, std::initializer_list<const Value*> parts, const ast::Expr& at,
                     const NameScope& scope);
    MaybeValue exact_result(const ExactResult& result, const ast::Expr& at, const NameScope& scope);
    std::string unique_let_name(const std::string& name);

    // elaborate_name.cpp
    MaybeValue of_name(const ast::Expr& e, const NameScope& scope);
    MaybeValue of_local(const Local& local, const ast::Expr& e, const NameScope& scope);
    MaybeValue of_symbol(const std::string& name, const Meaning& symbol, const ast::Expr& e,
                         const NameScope& scope);
    const Local* find_local(const std::string& name, const NameScope& scope) const;
    std::vector<std::string> visible_names(const NameScope& scope, bool function) const;

    // elaborate_operator.cpp
    MaybeValue unary(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue binary(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue combine(const ast::Expr& e, Operand left, Operand right, const NameScope& scope,
                       Type wanted);
    MaybeValue exact_binary(const ast::Expr& e, const Exact& a, const Exact& b,
                            const NameScope& scope);
    bool check_operator(Op op, ScalarType type, const ast::Expr& at, const NameScope& scope);
    MaybeValue power(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue typed_power(const ast::Expr& e, const Value& base, std::int64_t exponent,
                           const NameScope& scope);
    // Gives all operands one type: that of the first typed one. All exact: `wanted`, else i32 or
    // f32.
    bool unify(std::vector<Operand>& operands, const std::string& what, const ast::Expr& at,
               const NameScope& scope, Type wanted);
    bool convert(Operand& operand, ScalarType type, const NameScope& scope, const Operand* other);

    // elaborate_call.cpp
    MaybeValue call(const ast::Expr& e, const NameScope& scope, Type wanted, Part* part);
    MaybeValue function_call(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue select_call(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue minmax(const ast::Expr& e, Op op, bool passes_nan, const NameScope& scope,
                      Type wanted);
    MaybeValue clamp(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue unary_function(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue cast_call(const ast::Expr& e, ScalarType type, const NameScope& scope);
    MaybeValue def_call(const ast::Expr& e, const Meaning& def, const NameScope& scope, Type wanted,
                        Part* part);
    // `use` is the call, or its Index, whose args after the first the `indices` come from; it is
    // read in `use_scope`.
    MaybeValue expand_def(const Meaning& def, const ast::Expr& call, const NameScope& arguments,
                          const std::vector<Value>* indices, const ast::Expr* use,
                          const NameScope& use_scope, Type wanted, Part* part);
    bool arguments(const ast::Expr& e, std::size_t count, const char* shape,
                   const NameScope& scope);

    // elaborate_function.cpp
    MaybeValue float_function(const ast::Expr& e, const NameScope& scope, Type wanted);
    MaybeValue bits_call(const ast::Expr& e, const NameScope& scope);
    MaybeValue from_bits_call(const ast::Expr& e, const NameScope& scope);
    std::optional<ScalarType> type_argument(const ast::Expr& e);

    // elaborate_number.cpp
    MaybeValue number_pair(Op op, const Value& a, const Value& b, const ast::Expr& at,
                           const NameScope& scope);
    MaybeValue saturate_call(const ast::Expr& e, const NameScope& scope);

    // elaborate_index.cpp
    MaybeValue indexed(const ast::Expr& e, const NameScope& scope, Type wanted, Part* part);
    MaybeValue indexed_def(const ast::Expr& e, const Function& base, const NameScope& scope,
                           Type wanted, Part* part);
    bool check_component(const ast::Expr& e, const std::string& what, std::size_t count,
                         const NameScope& scope);
    std::optional<Function> function(const ast::Expr& base, const NameScope& scope);
    std::optional<Function> named_function(const ast::Expr& base, const NameScope& scope);
    MaybeValue read(const ast::Expr& e, int stage, const NameScope& scope);
    bool check_self_read(const ast::Expr& e, const Stage& stage,
                         const std::vector<ExprPtr>& indices, const NameScope& scope);

    Program& program_;
    Reporter& reporter_;
    int depth_ = 0;
    std::uint64_t steps_ = 0;
    bool exhausted_ = false;
};

} // namespace loopscope
