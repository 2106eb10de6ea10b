#include "core/schedule/script_tree.h"

namespace loopscope {

Result<ScheduleTreePtr> build_script_tree(const std::vector<ScheduleState>& states,
                                          const std::vector<DirectivePtr>& directives) {
    auto tree = build_tree(states.back());
    if (tree || directives.empty())
        return tree;
    auto errors = tree.errors();
    const auto message = errors.front().message;
    auto has_it = [&](std::size_t applied) {
        const auto made = build_tree(states[applied]);
        return !made && made.errors().front().message == message;
    };
    std::size_t without = 0, with = directives.size();
    if (has_it(without))
        return tree;
    while (with - without > 1) {
        const auto middle = without + (with - without) / 2;
        (has_it(middle) ? with : without) = middle;
    }
    for (auto& error : errors)
        if (!error.range.file)
            error.range = directives[with - 1]->where;
    return errors;
}

} // namespace loopscope
