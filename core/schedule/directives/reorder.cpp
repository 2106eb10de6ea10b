#include "core/schedule/directives/reorder.h"

#include "core/schedule/nest.h"

#include <algorithm>

namespace loopscope {

const char* Reorder::summary() const { return "Puts loops in another order, outermost first."; }

Status Reorder::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    if (loops.size() < 2)
        return refuse("loops", "reorder needs two loops or more", "list them outermost first");
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        auto field = "loops[" + std::to_string(i) + "]";
        auto position = nest->position(loops[i]);
        if (!position)
            return at(field, position.errors());
        if (std::find(positions.begin(), positions.end(), *position) != positions.end())
            return refuse(field, loops[i] + " is listed twice", "list each loop once");
        positions.push_back(*position);
    }
    nest->reorder(positions);
    return nest->finish();
}

std::string Reorder::describe() const {
    std::string text = "reorder " + receiver.text() + " to ";
    for (std::size_t i = 0; i < loops.size(); ++i)
        text += (i == 0 ? "" : ", ") + loops[i];
    return text;
}

std::unique_ptr<Directive> make_reorder() { return std::make_unique<Reorder>(); }

} // namespace loopscope
