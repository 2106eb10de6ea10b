// S.prefetch(X, a, n): at the start of each iteration of S's loop a, what the iteration n later
// needs of X, and the one before that does not, is asked for, a cache line at a time. A hint: it
// changes no value.

#include "core/device/device.h"
#include "core/schedule/nest.h"
#include "core/schedule/prefetching.h"

#include <algorithm>

namespace loopscope {

namespace {

struct PrefetchSource final : DirectiveOf<PrefetchSource> {
    const char* verb() const override { return "prefetch"; }
    const char* summary() const override {
        return "Asks for what later iterations of a loop read, some iterations ahead.";
    }
    Fields fields() override {
        return {{"source", field::Source{source}},
                {"loop", field::Loop{loop}},
                {"ahead", field::Count{ahead}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override {
        auto nest = Nest::open(state, receiver);
        if (!nest)
            return at("receiver", nest.errors());
        if (!state.known(source))
            return refuse("source", "there is no stage or input " + source,
                          did_you_mean(source, stage_names(state, true)));
        auto position = nest->position(loop);
        if (!position)
            return at("loop", position.errors());
        if (ahead < 1 || ahead > kMaxAhead)
            return refuse("ahead", std::to_string(ahead) + " iterations ahead is out of range",
                          "from 1 to " + std::to_string(kMaxAhead));
        Prefetching prefetch{source, nest->loops().loops[*position].id, loop, ahead, 64};
        if (context.device && !context.device->caches.empty())
            prefetch.line = std::max(1, context.device->caches.front().line_bytes);
        if (auto read = check_prefetched(state, receiver, prefetch); !read)
            return at("source", read.errors());
        if (auto legal = check_prefetch_loop(state, receiver, prefetch); !legal)
            return at("loop", legal.errors());
        // Said again of one loop, it has another distance.
        auto& prefetches = nest->loops().prefetches;
        std::erase_if(prefetches, [&](const Prefetching& other) {
            return other.source == source && other.loop == prefetch.loop;
        });
        prefetches.push_back(std::move(prefetch));
        return success();
    }
    std::string describe() const override {
        return "prefetch " + source + " for " + receiver.text() + "." + loop + ", " +
               std::to_string(ahead) + (ahead == 1 ? " iteration" : " iterations") + " ahead";
    }

    std::string source, loop;
    std::int64_t ahead = 1; // iterations
};

} // namespace

std::unique_ptr<Directive> make_prefetch() { return std::make_unique<PrefetchSource>(); }

} // namespace loopscope
