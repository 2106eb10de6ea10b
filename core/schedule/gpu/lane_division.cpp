#include "core/schedule/gpu/lane_division.h"

#include <algorithm>
#include <set>
#include <utility>

namespace loopscope {

namespace {

constexpr std::size_t kMaxPoints = 1024; // of a lane: more are no registers

bool points(LaneWork& work, const FragmentLayout& layout, const std::vector<std::int64_t>& counts) {
    const auto registers = static_cast<std::size_t>(layout.operand->registers);
    auto total = registers;
    for (auto count : counts) {
        if (count > static_cast<std::int64_t>(kMaxPoints / total))
            return false;
        total *= static_cast<std::size_t>(count);
    }
    std::vector<std::int64_t> tile(counts.size(), 0);
    for (std::size_t e = 0; e < total; ++e) {
        auto number = static_cast<std::int64_t>(e / registers);
        for (auto d = counts.size(); d-- > 0; number /= counts[d])
            tile[d] = number % counts[d];
        auto& values = work.values.emplace_back();
        for (const auto& digit : work.digits) {
            const auto d = static_cast<std::size_t>(digit.dimension);
            auto& lanes = values.emplace_back();
            for (const auto& lane : layout.elements) {
                const auto axis = layout.axes[d];
                const auto offset =
                    tile[d] * layout.tile[d] +
                    (axis < 0
                         ? 0
                         : layout.within(d, lane[e % registers][static_cast<std::size_t>(axis)]));
                lanes.push_back(offset / digit.step % digit.extent);
            }
        }
    }
    return true;
}

std::optional<LaneWork::Place> place(const LaneWork& work, const FragmentLayout& layout,
                                     const std::vector<std::map<std::string, std::int64_t>>& steps,
                                     std::size_t e) {
    std::optional<LaneWork::Place> out;
    for (std::size_t lane = 0; lane < layout.elements.size(); ++lane) {
        LaneWork::Place here;
        std::vector<std::int64_t> inside(layout.operand->axes.size(), 0);
        for (std::size_t d = 0; d < steps.size(); ++d) {
            std::int64_t offset = 0;
            for (std::size_t v = 0; v < work.digits.size(); ++v)
                if (auto step = steps[d].find(work.digits[v].variable); step != steps[d].end())
                    offset += step->second * work.values[e][v][lane];
            here.tile.push_back(offset / layout.tile[d]);
            if (layout.axes[d] >= 0)
                inside[static_cast<std::size_t>(layout.axes[d])] +=
                    offset % layout.tile[d] * layout.steps[d];
        }
        const auto& own = layout.elements[lane];
        const auto found = std::find(own.begin(), own.end(), inside);
        if (found == own.end())
            return std::nullopt;
        here.r = static_cast<int>(found - own.begin());
        if (out && !(*out == here))
            return std::nullopt;
        out = std::move(here);
    }
    return out;
}

// Where the points are in the access's fragment: in one tile and one register of the lane itself,
// for all lanes.
bool find_places(LaneWork& work, const InnerLoops& inside, const FragmentAccess& access,
                 const FragmentLayouts& layouts) {
    const auto& layout = layouts.at(access.stage);
    std::vector<std::map<std::string, std::int64_t>> steps;
    for (const auto& form : access.from) {
        auto found = inside.steps(form);
        if (!found)
            return false;
        for (const auto& [variable, step] : *found)
            if (inside.extent(variable) > 1 &&
                std::none_of(work.digits.begin(), work.digits.end(),
                             [&](const auto& digit) { return digit.variable == variable; }))
                return false; // a loop that remains decides which element it is
        steps.push_back(std::move(*found));
    }
    std::vector<LaneWork::Place> out;
    for (std::size_t e = 0; e < work.points(); ++e) {
        auto at = place(work, layout, steps, e);
        if (!at)
            return false;
        out.push_back(std::move(*at));
    }
    auto [known, first] = work.places.emplace(access.stage, out);
    return first || known->second == out;
}

} // namespace

std::optional<LaneWork> divided_by_lanes(const TreeNode& from, const InnerLoops& inside,
                                         const std::vector<FragmentAccess>& accesses,
                                         const FragmentLayouts& layouts) {
    LaneWork work;
    work.from = from.id;
    const auto& primary = accesses.front();
    const auto& layout = layouts.at(primary.stage);
    work.fragment = primary.stage;
    std::vector<std::int64_t> counts; // tiles
    std::set<std::string> taken;
    for (std::size_t d = 0; d < primary.from.size(); ++d) {
        const auto steps = inside.steps(primary.from[d]);
        if (!steps)
            return std::nullopt;
        const auto count = inside.counted(*steps);
        if (count == 0 || count % layout.tile[d] != 0)
            return std::nullopt;
        counts.push_back(count / layout.tile[d]);
        for (const auto& [variable, step] : *steps) {
            if (inside.extent(variable) <= 1)
                continue;
            if (!taken.insert(variable).second)
                return std::nullopt;
            work.digits.push_back({variable, static_cast<int>(d), step, inside.extent(variable)});
        }
    }
    for (const auto& access : accesses)
        for (std::size_t d = 0; d < access.from.size(); ++d)
            if (known_divisor(inside.base(access.from[d])) % layouts.at(access.stage).tile[d] != 0)
                return std::nullopt;
    if (!points(work, layout, counts))
        return std::nullopt;
    for (const auto& access : accesses)
        if (!find_places(work, inside, access, layouts))
            return std::nullopt;
    return work;
}

} // namespace loopscope
