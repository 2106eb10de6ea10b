#include "core/schedule/script_tree.h"

namespace loopscope {

std::optional<std::size_t> directive_behind(const Diagnostic& error,
                                            const std::vector<ScheduleState>& states) {
    auto has_it = [&](std::size_t applied) {
        const auto made = build_tree(states[applied]);
        return !made && made.errors().front().message == error.message;
    };
    std::size_t without = 0, with = states.size() - 1;
    if (with == 0 || has_it(without))
        return std::nullopt;
    while (with - without > 1) {
        const auto middle = without + (with - without) / 2;
        (has_it(middle) ? with : without) = middle;
    }
    return with - 1;
}

Result<ScheduleTreePtr> build_script_tree(const std::vector<ScheduleState>& states,
                                          const std::vector<DirectivePtr>& directives,
                                          const ScheduleTree* known) {
    auto tree = build_tree(states.back(), known);
    if (tree)
        return tree;
    auto errors = tree.errors();
    if (const auto number = directive_behind(errors.front(), states))
        for (auto& error : errors)
            if (!error.range.file)
                error.range = directives[*number]->where;
    return errors;
}

} // namespace loopscope
