// S.reorder_storage(j, i): how S lies in memory, by the definition's index names, outermost first;
// the last is contiguous. All of them are named. For storage that is ours: an input or an output
// lies as the caller has it.

#include "core/schedule/directive.h"
#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope {

namespace {

std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

struct ReorderStorage final : DirectiveOf<ReorderStorage> {
    std::vector<std::string> dimensions;

    const char* verb() const override { return "reorder_storage"; }
    const char* summary() const override {
        return "Orders a stage's dimensions in memory: the last is contiguous.";
    }
    Fields fields() override { return {{"dimensions", field::Dimensions{dimensions}}}; }
    Status apply(ScheduleState& state, const ApplyContext&) const override {
        if (auto own = owns_storage(state, receiver); !own)
            return at("receiver", own.errors());
        const auto& variables = state.declared(receiver.stage).variables;
        std::vector<int> order;
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            auto field = "dimensions[" + std::to_string(i) + "]";
            auto dimension = find_dimension(state, receiver.stage, dimensions[i]);
            if (!dimension)
                return at(field, dimension.errors());
            if (std::find(order.begin(), order.end(), *dimension) != order.end())
                return refuse(field, dimensions[i] + " is named twice",
                              "name each index of " + receiver.stage + " once: " + list(variables));
            order.push_back(*dimension);
        }
        if (order.size() != variables.size())
            return refuse("verb",
                          "reorder_storage names all indices of " + receiver.stage +
                              ", outermost first",
                          "name each once: " + list(variables));
        state.edit(receiver.stage).storage_order =
            std::is_sorted(order.begin(), order.end()) ? std::vector<int>{} : order;
        return success();
    }
    std::string describe() const override {
        return "store " + receiver.stage + " by " + list(dimensions);
    }
    bool per_stage() const override { return true; }
};

} // namespace

std::unique_ptr<Directive> make_reorder_storage() { return std::make_unique<ReorderStorage>(); }

} // namespace loopscope
