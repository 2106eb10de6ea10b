#pragma once
// S.tensor_core(): the whole recipe of a sum of products on tensor cores, in one word (Sioutas, ch.
// 7). It is a recipe: it stands for lines that can be seen, and written in its place (recipe.h);
// tensor_core/recipe.h says which, product.h for what sums.

#include "core/schedule/recipe.h"

namespace loopscope {

struct TensorCore final : Recipe {
    const char* verb() const override { return "tensor_core"; }
    const char* summary() const override;
    Result<std::vector<DirectivePtr>> expansion(const ScheduleState& state,
                                                const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<TensorCore>(*this);
    }

private:
    Status check_untouched(const ScheduleState& state) const;
};

} // namespace loopscope
