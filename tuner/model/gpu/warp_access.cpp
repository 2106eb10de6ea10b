#include "tuner/model/gpu/warp_access.h"

#include "core/schedule/gpu/block_threads.h"
#include "tuner/model/gpu/part.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace loopscope::model::gpu {

namespace {

constexpr std::int64_t kSampledWarps = 32; // of a block, in all samples together
constexpr std::int64_t kSamples = 4;       // of the values of the loops that threads run themselves
constexpr std::size_t kSampledOffsets = 9; // of one access: a stencil's

// Where the active lanes of a warp begin, in bytes.
struct Places {
    std::array<std::int64_t, kWarp> at{};
    std::size_t count = 0;
    std::array<std::uint8_t, kWarp> lane{};
};

std::size_t distinct_units(const Places& places, std::int64_t width, std::int64_t unit) {
    std::array<std::int64_t, 2 * kWarp> units;
    std::size_t count = 0;
    for (std::size_t i = 0; i < places.count; ++i)
        for (auto u : {places.at[i] / unit, (places.at[i] + width - 1) / unit})
            if (count == 0 || units[count - 1] != u)
                units[count++] = u;
    std::sort(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<std::size_t>(
        std::unique(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(count)) -
        units.begin());
}

// Distinct words of the busiest bank.
int busiest_bank(std::vector<std::int64_t>& words, const BankLayout& banks) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<int> load(static_cast<std::size_t>(banks.banks), 0);
    int most = 0;
    for (auto word : words)
        most = std::max(most, ++load[static_cast<std::size_t>(word % banks.banks)]);
    return most;
}

// Threads of more than a word take turns: halves of the warp with 8 bytes each, quarters with 16.
void add_passes(const Places& places, std::int64_t width, const BankLayout& banks, WarpCost& cost) {
    const auto each = std::max<std::int64_t>(width / banks.word_bytes, 1);
    const auto turn = std::max<std::int64_t>(banks.banks / each, 1);
    std::vector<std::int64_t> words;
    for (std::int64_t begin = 0; begin < kWarp; begin += turn) {
        words.clear();
        for (std::size_t i = 0; i < places.count; ++i)
            if (places.lane[i] >= begin && places.lane[i] < begin + turn)
                for (std::int64_t w = 0; w < each; ++w)
                    words.push_back(places.at[i] / banks.word_bytes + w);
        if (words.empty())
            continue;
        cost.passes += busiest_bank(words, banks);
        cost.passes_least += 1;
    }
}

class Sampler {
public:
    Sampler(const Work& work, const Point& point, const PointRoles& roles, const Lanes& lanes,
            const Access& access, Memory memory, const BankLayout& banks)
        : work_(work),
          point_(point),
          roles_(roles),
          lanes_(lanes),
          access_(access),
          memory_(memory),
          banks_(banks),
          buffer_(work.buffers[static_cast<std::size_t>(access.buffer)]),
          element_(static_cast<std::int64_t>(buffer_.element_bytes)) {
        list_offsets();
        find_width();
    }

    WarpCost run() const {
        const auto warps = lanes_.warps();
        const auto samples = follows_boundaries() ? 1 : kSamples;
        const auto taken = std::min(warps, std::max<std::int64_t>(kSampledWarps / samples, 1));
        WarpCost sum;
        for (std::int64_t s = 0; s < samples; ++s) {
            auto loops = sample(s);
            for (std::int64_t w = 0; w < taken; ++w)
                add_warp(w * warps / taken, loops, sum);
        }
        return scaled(sum, static_cast<double>(warps) / static_cast<double>(taken * samples));
    }

    std::optional<LaneIndices> first() const {
        LaneIndices out;
        out.width = width_;
        auto loops = sample(0);
        for (std::int64_t lane = 0; lane < kWarp; ++lane) {
            out.of_lanes.emplace_back();
            if (!lanes_.place(0, lane, loops))
                continue;
            for (std::size_t d = 0; d < access_.forms.size(); ++d) {
                const auto value = index(d, loops, offsets_.front());
                if (!value)
                    return std::nullopt;
                out.of_lanes.back().push_back(*value);
            }
        }
        return out;
    }

private:
    // The places that one evaluation names, as tuples of constants, one a dimension. What is not a
    // whole box of them is taken for one, and its figures for those of the loads.
    void list_offsets() {
        offsets_ = {{}};
        for (const auto& choices : access_.offsets) {
            std::vector<std::vector<std::int64_t>> longer;
            for (const auto& tuple : offsets_)
                for (auto c : choices) {
                    if (longer.size() == kSampledOffsets)
                        break;
                    longer.push_back(tuple);
                    longer.back().push_back(c);
                }
            offsets_ = std::move(longer);
        }
    }

    // Elements of a thread that are one access, and the accesses that a vector needs.
    void find_width() {
        width_ = element_;
        along_ = vector_along(work_, point_, roles_, access_);
        if (along_ < 0)
            return;
        const auto run =
            static_cast<std::int64_t>(point_.trips[static_cast<std::size_t>(along_)]) * element_;
        // What is longer than a chunk that stays together is accessed element by element.
        const bool whole = !banks_.swizzled || run <= kSwizzledChunk;
        while (whole && width_ * 2 <= std::min(run, kWidestAccess) && run % (width_ * 2) == 0)
            width_ *= 2;
        std::vector<std::int64_t> loops(point_.trips.size(), 0);
        if (const auto at = place(loops, offsets_.front()); !at || *at % width_ != 0)
            width_ = element_; // no wide access begins there
        pieces_ = run / width_;
    }

    // Does the value of no loop but those in which lanes differ move the access within a sector, or
    // among the banks?
    bool follows_boundaries() const {
        auto unit = memory_ == Memory::Shared ? std::int64_t{banks_.banks} * banks_.word_bytes
                                              : kSectorBytes;
        if (banks_.swizzled) // what the pattern repeats after
            unit = std::lcm(unit, banks_.swizzled->row_bytes * banks_.swizzled->rows *
                                      banks_.swizzled->chunks);
        for (std::size_t d = 0; d < access_.forms.size(); ++d)
            for (const auto& [index, c] : access_.forms[d].terms) {
                const auto& atom = work_.forms.atom(index);
                const bool loop = atom.kind == FormAtom::Kind::Loop;
                if (loop && (atom.depth == along_ || differs(static_cast<std::size_t>(atom.depth))))
                    continue;
                if (!loop || c * static_cast<std::int64_t>(buffer_.pitch[d]) * element_ % unit != 0)
                    return false;
            }
        return true;
    }

    bool differs(std::size_t loop) const {
        return roles_.loops[loop] == Role::Thread || roles_.loops[loop] == Role::Divided;
    }

    // The first values of all loops, then values spread over them.
    std::vector<std::int64_t> sample(std::int64_t number) const {
        std::vector<std::int64_t> loops(point_.trips.size(), 0);
        std::uint64_t hash = 0;
        for (std::size_t l = 0; l < loops.size(); ++l) {
            hash = combine(hash, static_cast<std::uint64_t>(number));
            if (number > 0 && roles_.loops[l] != Role::Suspended && static_cast<int>(l) != along_)
                loops[l] = static_cast<std::int64_t>(
                    hash % static_cast<std::uint64_t>(std::max(point_.trips[l], 1.0)));
        }
        return loops;
    }

    // In bytes. Nothing: data decide.
    std::optional<std::int64_t> place(const std::vector<std::int64_t>& loops,
                                      const std::vector<std::int64_t>& offsets) const {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < access_.forms.size(); ++d) {
            const auto value = index(d, loops, offsets);
            if (!value)
                return std::nullopt;
            at += *value * static_cast<std::int64_t>(buffer_.pitch[d]);
        }
        at *= element_;
        return banks_.swizzled ? banks_.swizzled->place(at) : at;
    }

    // Along one dimension. Nothing: data decide.
    std::optional<std::int64_t> index(std::size_t d, const std::vector<std::int64_t>& loops,
                                      const std::vector<std::int64_t>& offsets) const {
        const auto value = work_.forms.value(access_.forms[d], loops);
        if (!value)
            return std::nullopt;
        const auto last = static_cast<std::int64_t>(buffer_.extents[d]) - 1;
        return std::clamp<std::int64_t>(*value + offsets[d], 0, std::max<std::int64_t>(last, 0));
    }

    void add_warp(std::int64_t warp, std::vector<std::int64_t>& loops, WarpCost& sum) const {
        WarpCost cost;
        for (const auto& offsets : offsets_) {
            Places places;
            bool scattered = false;
            for (std::int64_t lane = 0; lane < kWarp; ++lane) {
                if (!lanes_.place(warp, lane, loops))
                    continue;
                const auto at = place(loops, offsets);
                scattered = scattered || !at;
                places.lane[places.count] = static_cast<std::uint8_t>(lane);
                places.at[places.count++] = at.value_or(0);
            }
            if (places.count == 0)
                return;
            add(places, scattered, cost);
        }
        // All loads of the evaluation, as those that were looked at.
        accumulate(sum, scaled(cost, access_.loads * static_cast<double>(pieces_) /
                                         static_cast<double>(offsets_.size())));
    }

    void add(const Places& places, bool scattered, WarpCost& cost) const {
        const auto lanes = static_cast<double>(places.count);
        cost.accesses += 1;
        cost.bytes += lanes * static_cast<double>(width_);
        if (memory_ == Memory::Shared) {
            if (!scattered) {
                add_passes(places, width_, banks_, cost);
                return;
            }
            cost.passes += std::min(kScatteredPasses, lanes);
            cost.passes_least += 1;
            return;
        }
        cost.sectors +=
            scattered ? lanes : static_cast<double>(distinct_units(places, width_, kSectorBytes));
        cost.lines +=
            scattered ? lanes : static_cast<double>(distinct_units(places, width_, kLineBytes));
    }

    static WarpCost scaled(const WarpCost& c, double by) {
        return {c.accesses * by, c.bytes * by,  c.sectors * by,
                c.lines * by,    c.passes * by, c.passes_least * by};
    }
    static void accumulate(WarpCost& sum, const WarpCost& c) {
        sum = {sum.accesses + c.accesses, sum.bytes + c.bytes,   sum.sectors + c.sectors,
               sum.lines + c.lines,       sum.passes + c.passes, sum.passes_least + c.passes_least};
    }

    const Work& work_;
    const Point& point_;
    const PointRoles& roles_;
    const Lanes& lanes_;
    const Access& access_;
    Memory memory_;
    const BankLayout& banks_;
    const Buffer& buffer_;
    std::int64_t element_, width_ = 1, pieces_ = 1;
    int along_ = -1; // the vector loop that is in the width
    std::vector<std::vector<std::int64_t>> offsets_;
};

WarpCost operand_cost(const Work& work, const Point& point, const PointRoles& roles,
                      const Lanes& lanes, const Access& access, Memory memory,
                      const BankLayout& banks) {
    Moving moving(point.trips.size(), 1);
    double elements = access.loads;
    for (std::size_t l = 0; l < roles.loops.size(); ++l)
        if (roles.loops[l] == Role::Together) {
            moving[l] = point.trips[l];
            elements *= access.depths >> std::min<std::size_t>(l, 63) & 1 ? point.trips[l] : 1;
        }
    const auto& buffer = work.buffers[static_cast<std::size_t>(access.buffer)];
    const double warps = lanes.active_warps(), bytes = elements * buffer.element_bytes;
    WarpCost cost;
    cost.accesses = warps * std::ceil(bytes / static_cast<double>(kWarp * kWidestAccess));
    cost.bytes = warps * bytes;
    if (memory == Memory::Shared) {
        cost.passes = cost.passes_least =
            warps * std::ceil(bytes / (banks.banks * banks.word_bytes));
        return cost;
    }
    cost.sectors = warps * sector_bytes(work, part_of(work, point, access, moving)) / kSectorBytes;
    cost.lines = std::max(cost.sectors * kSectorBytes / kLineBytes, warps);
    return cost;
}

} // namespace

std::optional<Swizzling> swizzled(const ScheduleTree& tree, const Buffer& buffer) {
    const auto* state = tree.state.find(buffer.name);
    const auto* storage = tree.find({buffer.name, -1, "@storage"});
    if (!state || !state->swizzled || !storage || buffer.pitch.size() < 2)
        return std::nullopt;
    for (auto type : storage->types)
        if (bytes(type) == buffer.element_bytes)
            return swizzling(*storage, type);
    return std::nullopt;
}

int vector_along(const Work& work, const Point& point, const PointRoles& roles,
                 const Access& access) {
    for (std::size_t l = roles.loops.size(); l-- > 0;) {
        if (roles.loops[l] != Role::Vector || point.trips[l] < 2)
            continue;
        const auto depth = static_cast<int>(l);
        const auto last = access.forms.size() - 1;
        bool along = !access.forms.empty() && !access.by_data &&
                     work.forms.signed_step(access.forms[last], depth) == 1;
        for (std::size_t d = 0; along && d < last; ++d)
            along = work.forms.signed_step(access.forms[d], depth) == 0;
        if (along)
            return depth;
    }
    return -1;
}

WarpCost warp_cost(const Work& work, const Point& point, const PointRoles& roles,
                   const Lanes& lanes, const Access& access, Memory memory,
                   const BankLayout& banks) {
    if (roles.together)
        return operand_cost(work, point, roles, lanes, access, memory, banks);
    return Sampler(work, point, roles, lanes, access, memory, banks).run();
}

std::optional<LaneIndices> lane_indices(const Work& work, const Point& point,
                                        const PointRoles& roles, const Lanes& lanes,
                                        const Access& access, Memory memory,
                                        const BankLayout& banks) {
    if (roles.together)
        return std::nullopt;
    return Sampler(work, point, roles, lanes, access, memory, banks).first();
}

} // namespace loopscope::model::gpu
