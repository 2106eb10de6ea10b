#pragma once
// Expressions of loop programs as C expressions. The text has the value, to the bit, that the
// language gives the expression, whatever C's own rules about promotion and overflow: plain
// arithmetic where the operands' ranges prove that nothing wraps, elsewhere a helper that says what
// happens. A vector's text gives the value in the current lane.

#include "compiler/codegen/c/helpers.h"
#include "core/ir/extent.h"
#include "core/ir/range.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope::codegen {

// How tightly the operators of C bind.
enum class Binding {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary
};

struct CText {
    CText(std::string text, Binding binding = Binding::Primary, std::optional<Interval> uncut = {})
        : text(std::move(text)), binding(binding), uncut(uncut) {}
    std::string text;
    Binding binding;
    // The range of an 8- or 16-bit integer before it is cut to its type: of the int that C
    // computes. None: the value is of the type itself.
    std::optional<Interval> uncut;
};

struct CVariable {
    std::string text;              // an identifier
    std::optional<Interval> range; // of integers
    ExprPtr instead;               // written in place of the name
    bool in_lanes = false;         // an array of lanes
};

struct CBuffer {
    std::string name;
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
    bool flat = false; // is indexed by one index
    bool wide = false; // has more elements than an int32_t indexes with ease
};

// Does C compute the type in `int`, which is wider?
inline bool is_narrow(ScalarType t) { return is_integer(t) && bits(t) <= 16; }
inline bool within(const Interval& i, ScalarType t) {
    return i.least >= least(t) && i.greatest <= greatest(t);
}

class CExpressions {
public:
    // Operators are those of the helpers' dialect, unless told otherwise. `dialect` must outlive
    // this object.
    CExpressions(CNames& names, CHelpers& helpers)
        : CExpressions(names, helpers, helpers.dialect()) {}
    CExpressions(CNames& names, CHelpers& helpers, const CDialect& dialect)
        : names_(names), helpers_(helpers), dialect_(dialect) {}

    // The variables that the expressions see.
    std::map<std::string, CVariable> variables;
    std::map<std::string, CBuffer> buffers;
    std::string lane;         // the identifier that counts lanes; empty outside of them
    bool in_elements = false; // of a loop whose iterations are independent: see `branch_free`
    ExprPtr mask;             // known to hold where the text stands: loads under it are plain
    // Functions of the prelude that were called, as (name, type).
    std::vector<std::pair<std::string, ScalarType>> called;

    // Begins a statement, before its texts are asked for: parts that these expressions share are
    // computed once, by a declaration.
    void begin(const std::vector<ExprPtr>& together);
    // Declarations that the texts so far need before them; the list is then empty.
    std::vector<std::string> take_declarations() { return std::exchange(declarations_, {}); }
    // All names that declarations gave, and those told by `declare`.
    const std::vector<std::string>& declared() const { return declared_; }
    void declare(const std::string& name) { declared_.push_back(name); }

    std::string text(const ExprPtr& e) { return value(e).text; }
    std::string operand(const ExprPtr& e, Binding least); // in parentheses if it binds less tightly
    std::string index(const CBuffer& buffer, const std::vector<ExprPtr>& indices);
    std::string element(const std::string& buffer, const std::vector<ExprPtr>& indices); // "A[…]"
    std::string extent(const Extent& extent); // an int64_t
    std::optional<Interval> range(const ExprPtr& e) const;

private:
    struct Frame { // a let's body has its own, since its name may be bound twice
        std::string let;
        std::unordered_map<Hash, CText> texts; // by the expressions' hashes
    };

    // In lanes and elements that a compiler is to make vectors of nothing is skipped, as in the
    // language itself: compilers make no vectors of loads that they may not make.
    bool branch_free() const { return in_elements || !lane.empty(); }
    CText value(const ExprPtr& e);
    CText computed(const ExprPtr& e);
    CText fresh(const Expr& e);
    CText uncut(const ExprPtr& e); // integers of 8 and 16 bits may be left uncut
    CText cut(CText text, ScalarType type);
    const CText* known(const Expr& e) const;
    std::optional<Interval> of_value(const ExprPtr& e) const; // of an integer of up to 16 bits

    CText constant(const Expr& e);
    CText unary(const Expr& e);
    CText binary(const Expr& e);
    CText narrow_binary(const Expr& e);
    CText arithmetic(const Expr& e);
    CText division(const Expr& e);
    CText shift(const Expr& e);
    CText logical(const Expr& e, bool all);
    CText compare(const Expr& e);
    CText compare_bools(const Expr& e);
    CText select(const Expr& e);
    CText cast(const Expr& e);
    CText let(const Expr& e);
    CText load(const Expr& e);
    CText ramp(const ExprPtr& e);
    CText reinterpret(const Expr& e);
    CText call(const std::string& function, const std::vector<ExprPtr>& args);
    CText rounded(const char* operation, const std::vector<ExprPtr>& args); // to nearest, by name
    CText infix(const ExprPtr& a, const char* symbol, const ExprPtr& b, Binding own);
    CText named(const ExprPtr& e); // computed before the statement, whatever its operators skip
    CText declared(const ExprPtr& e, const CText& text);
    std::string condition(const ExprPtr& e, Binding least);
    std::string put(const CText& text, Binding least);
    std::string put(const CText& text, Binding own, bool right);
    bool is_plain(const ExprPtr& e) const; // its exact value fits its type
    bool is_small_sum(const ExprPtr& e) const;
    void count(const Expr& e);

    CNames& names_;
    CHelpers& helpers_;
    const CDialect& dialect_;
    std::vector<Frame> frames_;
    std::unordered_map<Hash, int> uses_; // equal expressions count as one
    std::vector<std::string> declarations_, declared_;
};

} // namespace loopscope::codegen
