#pragma once
// Indices as forms, even where data decide a part: the other parts are followed, and a part that a
// load or a product decides is a value of known range. So x + shift[y, x], with a shift of -4 to 4,
// stays near x.

#include "core/ir/value_ranges.h"
#include "tuner/model/affine.h"

#include <unordered_map>

namespace loopscope::model {

struct IndexForm {
    Form form;
    std::uint64_t data = 0; // the loops with which what data decide in it changes
};

// The loops with which a condition changes: all of them, if it reads data.
std::uint64_t condition_depths(FormTable& forms, const Expr& e,
                               const FormTable::Environment& variables);

class IndexForms {
public:
    IndexForms(FormTable& forms, const Pipeline& pipeline) : forms_(forms), values_(pipeline) {}

    // Begins a point, of which equal expressions are one value.
    void next_point() {
        known_.clear();
        lets_.clear();
    }
    // nullopt: data decide, and nothing bounds the value.
    std::optional<IndexForm> parse(const ExprPtr& e, const FormTable::Environment& variables,
                                   const std::vector<double>& trips);
    // The form of an index along a dimension of memory, from `min` on and within `extent`. Where
    // nothing bounds it, it lies anywhere.
    IndexForm within(const ExprPtr& index, const Form& min, std::int64_t extent,
                     const FormTable::Environment& variables, const std::vector<double>& trips);
    // Names the value of a `let` of any type.
    void let(const Expr& let, const FormTable::Environment& variables,
             const std::vector<double>& trips);
    // The loops with which the variables of an expression move.
    std::uint64_t depths(const ExprPtr& e, const FormTable::Environment& variables) const;

private:
    struct Let {
        std::optional<IndexForm> form;
        std::uint64_t depths;
    };
    std::optional<IndexForm> followed(const Expr& e, const FormTable::Environment& variables,
                                      const std::vector<double>& trips);
    std::optional<IndexForm> decided(const ExprPtr& e, const FormTable::Environment& variables,
                                     const std::vector<double>& trips);

    FormTable& forms_;
    ValueRanges values_;
    std::unordered_map<Hash, std::optional<IndexForm>> known_; // by expression
    std::unordered_map<std::string, Let> lets_;
};

} // namespace loopscope::model
