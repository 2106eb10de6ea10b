#include "core/schedule/directives/gpu_tile.h"

#include "core/schedule/directives/bind.h"
#include "core/schedule/directives/tile.h"
#include "core/schedule/nest.h"

namespace loopscope {

const char* GpuTile::summary() const {
    return "Splits two loops into the target's blocks and, inside, their threads.";
}

Status GpuTile::apply(ScheduleState& state, const ApplyContext& context) const {
    Tile tiled;
    tiled.receiver = receiver;
    tiled.where = where;
    tiled.places = places;
    tiled.y = y, tiled.x = x;
    tiled.y_outer = y_outer, tiled.x_outer = x_outer;
    tiled.y_inner = y_inner, tiled.x_inner = x_inner;
    tiled.y_factor = y_factor, tiled.x_factor = x_factor;
    tiled.tail = tail;
    if (auto made = tiled.apply(state, context); !made)
        return made;
    const std::pair<const std::string*, const char*> levels[] = {{&y_outer, "block.y"},
                                                                 {&x_outer, "block.x"},
                                                                 {&y_inner, "thread.y"},
                                                                 {&x_inner, "thread.x"}};
    for (const auto& [loop, level] : levels) {
        Bind bound;
        bound.receiver = receiver;
        bound.where = where;
        bound.loop = *loop;
        bound.level = level;
        if (auto legal = bound.apply(state, context); !legal)
            return at(loop == &y_outer || loop == &y_inner ? "y" : "x", legal.errors());
    }
    return success();
}

std::string GpuTile::describe() const {
    return "tile " + receiver.text() + "." + y + " and " + x + " by " + y_factor.text() + " and " +
           x_factor.text() + tail_phrase(tail) + " for blocks and threads";
}

std::unique_ptr<Directive> make_gpu_tile() { return std::make_unique<GpuTile>(); }

} // namespace loopscope
