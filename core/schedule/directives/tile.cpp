#include "core/schedule/directives/tile.h"

#include "core/schedule/nest.h"

#include <tuple>

namespace loopscope {

const char* Tile::summary() const {
    return "Splits two loops and gathers the outer parts around the inner ones.";
}

Status Tile::check_names(const Nest& nest) const {
    const std::pair<const char*, const std::string*> made[] = {
        {"y_outer", &y_outer}, {"x_outer", &x_outer}, {"y_inner", &y_inner}, {"x_inner", &x_inner}};
    std::vector<std::string> names;
    for (const auto& [field, name] : made) {
        names.push_back(*name);
        if (auto free = nest.names_are_free(names, {y, x}); !free)
            return at(field, free.errors());
    }
    return success();
}

Status Tile::apply(ScheduleState& state, const ApplyContext& context) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    if (y == x)
        return refuse("x", "tile needs two loops, and " + y + " is given twice",
                      "name two different loops");
    for (auto [field, loop, factor] :
         {std::tuple{"y", &y, &y_factor}, std::tuple{"x", &x, &x_factor}}) {
        auto position = nest->position(*loop);
        if (!position)
            return at(field, position.errors());
        if (auto free = nest->not_in_use(*position, "tiled"); !free)
            return at(field, free.errors());
        auto extent = factor_value(state, receiver.stage, *factor, context);
        if (!extent)
            return at(std::string(field) + "_factor", extent.errors());
        if (auto fits = nest->tail_fits(*position, tail, *extent); !fits)
            return at("tail", fits.errors());
    }
    if (auto names = check_names(*nest); !names)
        return names;
    // By position and not by name: a new name may be the old one of the loop that is split second.
    auto at_y = *nest->position(y), at_x = *nest->position(x);
    nest->split(at_y, y_outer, y_inner, *factor_value(state, receiver.stage, y_factor, context),
                tail);
    at_x += at_x > at_y ? 1 : 0;
    nest->split(at_x, x_outer, x_inner, *factor_value(state, receiver.stage, x_factor, context),
                tail);
    at_y += at_y > at_x ? 1 : 0;
    nest->reorder({at_y, at_x, at_y + 1, at_x + 1});
    return nest->finish();
}

std::string Tiling::describe() const {
    return "tile " + receiver.text() + "." + y + " and " + x + " by " + y_factor.text() + " and " +
           x_factor.text() + tail_phrase(tail);
}

std::unique_ptr<Directive> make_tile() { return std::make_unique<Tile>(); }

} // namespace loopscope
