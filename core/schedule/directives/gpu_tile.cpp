#include "core/schedule/directives/gpu_tile.h"

#include "core/schedule/directives/bind.h"

namespace loopscope {

const char* GpuTile::summary() const {
    return "Splits two loops into the target's blocks and, inside, their threads.";
}

Status GpuTile::apply(ScheduleState& state, const ApplyContext& context) const {
    Tile tiled;
    static_cast<Tiling&>(tiled) = *this;
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

std::unique_ptr<Directive> make_gpu_tile() { return std::make_unique<GpuTile>(); }

} // namespace loopscope
