#pragma once
// Expressions of pipelines in a host language that builds expressions by overloaded operators: C++
// for Halide, Python for TVM. Both leave some of the pipeline language's semantics undefined, or
// define it otherwise. There the text calls a helper, which the exported file defines; where ranges
// prove that it makes no difference it is the plain operator.

#include "core/ir/pipeline.h"
#include "core/ir/range.h"
#include "core/ir/value_ranges.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope::codegen {

std::string comma_joined(const std::vector<std::string>& texts); // "a, b, c"

class Dialect {
public:
    virtual ~Dialect() = default;
    // A constant. `beside`: an operand of the same type stands beside it, so that a plain number
    // will do.
    virtual std::string literal(const Expr& constant, bool beside) = 0;
    virtual std::string convert(ScalarType to, ScalarType from, const std::string& text) = 0;
    virtual std::string select(const std::string& condition, const std::string& a,
                               const std::string& b) = 0;
    virtual std::string element(const Expr& load, const std::vector<std::string>& indices) = 0;
    // A function of the semantics that the exported file defines: "add", "minimum", "to_integer" …,
    // for operands of a type.
    virtual std::string helper(const std::string& function, ScalarType type,
                               const std::vector<std::string>& arguments) = 0;
    // A function of the prelude.
    virtual std::string prelude(const std::string& function, ScalarType type,
                                const std::vector<std::string>& arguments) = 0;
    // All or any of the conditions, which are in parentheses where they need them.
    virtual std::string logical(bool all, const std::vector<std::string>& conditions) = 0;
    virtual std::string negated(const std::string& condition) = 0;
    virtual std::string clamped(const std::string& index, std::int64_t least,
                                std::int64_t greatest) = 0;
    // "Expr name = text;"
    virtual std::string declaration(const std::string& name, const std::string& text) = 0;
    virtual std::string unique_name(const std::string& wanted) = 0;
    virtual const char* floor_division() const = 0; // the operator on integers: "/", "//"
    // Does the language leave it undefined that sums of this integer type wrap?
    virtual bool may_not_wrap(ScalarType type) const = 0;
    // Does it take a <= b of floats for not (b < a)? The two differ for a NaN.
    virtual bool confuses_orders() const = 0;
    // Does it simplify floats as if they were reals (x - x to 0, (x + y) - y to x, x * 0 to 0, x +
    // 0 to x), and integers as if they never left their type?
    virtual bool simplifies_as_mathematics() const = 0;
};

class ForeignExpressions {
public:
    explicit ForeignExpressions(Dialect& dialect) : dialect_(dialect) {}

    // The names of index variables, with their ranges where known.
    std::map<std::string, std::string> variables;
    std::map<std::string, Interval> ranges;
    // The box of a load's target that data-dependent indices are clamped to, one interval a
    // dimension. None: the target has a boundary, and any index will do.
    std::function<const std::vector<Interval>*(const std::string& target)> box_of;
    ValueRanges* values = nullptr; // what is known of stages' values; null: nothing

    // Begins a statement, before its texts are asked for: parts that these expressions share are
    // computed once, by a declaration.
    void begin(const std::vector<ExprPtr>& together);
    std::string text(const ExprPtr& e); // as an argument of a function
    void introduce(const std::string& variable,
                   const ExprPtr& value); // it is called so from here on
    std::string index(const ExprPtr& e, const Interval* box);
    // Declarations that the texts so far need before them; the list is then empty.
    std::vector<std::string> take_declarations() { return std::exchange(declarations_, {}); }

private:
    // How tightly an operator binds; any that binds less than a sum is put in parentheses.
    enum class Binding { Loose, Sum, Product, Unary, Primary };
    struct Text {
        std::string text;
        Binding binding = Binding::Primary;
    };

    Text value(const ExprPtr& e, bool in_index = false);
    Text fresh(const ExprPtr& e, bool in_index);
    Text binary(const ExprPtr& e, bool in_index);
    void flatten(const ExprPtr& e, Op op, std::vector<std::string>& parts);
    Text integer_arithmetic(const ExprPtr& e, bool in_index);
    Text unary(const ExprPtr& e, bool in_index);
    Text cast(const ExprPtr& e, bool in_index);
    Text half(const ExprPtr& e);
    Text infix(const ExprPtr& a, const std::string& symbol, const ExprPtr& b, Binding own,
               bool in_index);
    std::string operand(const ExprPtr& e, Binding least, bool beside, bool in_index);
    std::string argument(const ExprPtr& e, bool in_index = false);
    std::string widened(const ExprPtr& e); // of a 16-bit float: as f32
    bool may_turn_out_zero(const ExprPtr& e) const;
    bool may_wrap(const ExprPtr& e) const;
    std::optional<Interval> exact_range(const ExprPtr& e) const;
    bool stays_inside(const ExprPtr& e) const;                    // the exact value fits the type
    bool converts_exactly(ScalarType to, const ExprPtr& e) const; // integers
    bool from_data(const ExprPtr& e) const;
    void count(const ExprPtr& e);

    Dialect& dialect_;
    std::unordered_map<Hash, int> uses_;
    std::unordered_map<Hash, std::string> named_;
    std::map<std::string, bool> let_from_data_;
    std::vector<std::string> declarations_;
};

} // namespace loopscope::codegen
