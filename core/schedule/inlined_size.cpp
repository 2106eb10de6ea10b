#include "core/schedule/inlined_size.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {

namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 62;

std::int64_t plus(std::int64_t a, std::int64_t b) { return std::min(kSaturated, a + b); }

class Counter {
public:
    explicit Counter(const std::map<std::string, std::int64_t>& inlined) : inlined_(inlined) {}

    std::int64_t nodes(const ExprPtr& e) {
        if (!e)
            return 0;
        if (auto found = known_.find(e.get()); found != known_.end())
            return found->second;
        std::int64_t sum = 1;
        for (const auto& a : e->args)
            sum = plus(sum, nodes(a));
        if (e->kind == ExprKind::Load)
            if (auto body = inlined_.find(e->name); body != inlined_.end())
                sum = plus(sum, body->second);
        return known_[e.get()] = sum;
    }

private:
    const std::map<std::string, std::int64_t>& inlined_;
    std::unordered_map<const Expr*, std::int64_t> known_;
};

} // namespace

std::map<std::string, std::int64_t> nodes_after_inlining(const ScheduleState& state) {
    std::map<std::string, std::int64_t> out, inlined;
    for (const auto& stage : state.stages) {
        const Stage* declared = stage->copy_of.empty() ? &state.declared(stage->name) : nullptr;
        std::int64_t sum = 1;
        Counter counter(inlined);
        if (declared)
            for (const auto& d : declared->definitions) {
                for (const auto& e : d.values)
                    sum = plus(sum, counter.nodes(e));
                for (const auto& e : d.left)
                    sum = plus(sum, counter.nodes(e));
                sum = plus(sum, counter.nodes(d.condition));
            }
        else if (auto source = inlined.find(stage->copy_of); source != inlined.end())
            sum = plus(sum, source->second);
        out[stage->name] = sum;
        if (stage->compute.kind == Placement::Kind::Inline)
            inlined[stage->name] = sum;
    }
    return out;
}

} // namespace loopscope
