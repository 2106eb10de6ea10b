// S.sink(a): the loop moves inside all others of its nest, which keep their order.
//
//     for i, for j, for k   → sink(i) →   for j, for k, for i

#include "core/schedule/nest.h"

namespace loopscope {

namespace {

struct Sink final : DirectiveOf<Sink> {
    std::string loop;

    const char* verb() const override { return "sink"; }
    const char* summary() const override { return "Moves a loop inside all others of its nest."; }
    Fields fields() override { return {{"loop", field::Loop{loop}}}; }
    std::string describe() const override { return "sink " + receiver.text() + "." + loop; }

    Status apply(ScheduleState& state, const ApplyContext&) const override {
        auto opened = open_loop(state, *this, loop);
        if (!opened)
            return opened.errors();
        auto& [nest, position] = *opened;
        std::vector<std::size_t> order;
        for (auto inside = position + 1; inside < nest.loops().loops.size(); ++inside)
            order.push_back(inside);
        order.push_back(position);
        nest.reorder(order);
        return nest.finish();
    }
};

} // namespace

std::unique_ptr<Directive> make_sink() { return std::make_unique<Sink>(); }

} // namespace loopscope
