#include "core/schedule/prefetching.h"

#include "core/schedule/intrinsics.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"
#include "core/schedule/sliding.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

std::string names(const std::set<std::string>& all, const std::string& but) {
    std::string out;
    for (const auto& name : all)
        if (name != but)
            out += (out.empty() ? "" : ", ") + name;
    return out;
}

Diagnostic prefetch_no_longer(const DefinitionRef& reader, const Prefetching& prefetch,
                              const Diagnostics& reasons) {
    auto line = reader.text() + ".prefetch(" + prefetch.source + ", " + prefetch.loop_name + ", " +
                std::to_string(prefetch.ahead) + ")";
    return error(line + " would not hold any longer: " + reasons.front().message,
                 "remove that line, or write it after this one as it then applies");
}

} // namespace

Status check_prefetched(const ScheduleState& state, const DefinitionRef& reader,
                        const Prefetching& prefetch) {
    const auto& source = prefetch.source;
    const auto graph = read_graph(state);
    const auto& reads = graph->reads(reader.stage, reader.definition);
    if (source == reader.stage)
        return error(reader.text() + " writes " + source +
                         " itself: what it reads of it was "
                         "written shortly before",
                     "prefetch another stage, or an input");
    if (state.known(source) && reads.count(source))
        return success();
    const auto* stage = state.find(source);
    if (stage && stage->compute.kind == Placement::Kind::Inline)
        return error(source + " is inlined: it is nowhere in memory",
                     "prefetch what " + reader.text() +
                         " reads in its place: " + names(reads, reader.stage));
    auto others = names(reads, reader.stage);
    return error(reader.text() + " does not read " + source,
                 others.empty() ? "it reads nothing" : "it reads " + others);
}

Status check_prefetch_loop(const ScheduleState& state, const DefinitionRef& reader,
                           const Prefetching& prefetch) {
    const auto& nest = nest_of(state, {reader.stage, reader.definition});
    const int position = nest.position_of(prefetch.loop);
    auto here = reader.text() + "." + prefetch.loop_name;
    if (position < 0)
        return error(reader.text() + " has no loop " + prefetch.loop_name + " then");
    if (static_cast<std::size_t>(position) >= nest.tensorized_from())
        return error(nest.tensorized->intrinsic->name + " replaces " + here +
                         ": no iteration of it is left to prefetch at",
                     "prefetch at a loop around " + reader.text() + "." +
                         nest.loops[nest.tensorized_from()].name);
    // Loops that the definition shares are another one's.
    auto around = loops_around_point(state, {reader.stage, reader.definition});
    around.resize(around.size() - nest.loops.size() + static_cast<std::size_t>(position) + 1);
    for (const auto& ref : around) {
        if (loop_of(state, ref).kind != LoopKind::Vectorized)
            continue;
        auto text = loop_text(state, ref);
        return error(text == here ? here + " is vectorised: its iterations run at once"
                                  : here + " is inside the vectorised loop " + text,
                     "prefetch at a loop around " + text);
    }
    const auto producers = loops_around(state, prefetch.source);
    if (std::find(producers.begin(), producers.end(), around.back()) == producers.end())
        return success();
    const auto& stored = state.find(prefetch.source)->store;
    const bool inside = stored.kind == Placement::Kind::At &&
                        std::find(around.begin(), around.end() - 1, stored.at) == around.end() - 1;
    return error(prefetch.source + " is computed " + (inside ? "and stored " : "") + "inside " +
                     here +
                     ": what a later iteration needs of it is not in memory before that one "
                     "computes it",
                 "prefetch what " + prefetch.source +
                     " reads, at a loop of its own; or compute it outside of " + here + ": " +
                     prefetch.source + ".compute_root()");
}

Status check_prefetches(const ScheduleState& state) {
    for (const auto* stage : state.stages.having(StageTrait::Prefetches))
        for (std::size_t d = 0; d < stage->definitions.size(); ++d)
            for (const auto& prefetch : stage->definitions[d].prefetches) {
                const DefinitionRef reader{stage->name, static_cast<int>(d)};
                if (auto read = check_prefetched(state, reader, prefetch); !read)
                    return prefetch_no_longer(reader, prefetch, read.errors());
                if (auto loop = check_prefetch_loop(state, reader, prefetch); !loop)
                    return prefetch_no_longer(reader, prefetch, loop.errors());
            }
    return success();
}

namespace {

// The greatest number that divides the form for all values of its variables; 0: it is 0.
std::int64_t divisor(const LinearForm& form) {
    std::int64_t out = form.constant();
    for (const auto& [atom, c] : form.terms()) {
        std::int64_t inside = 1;
        if (atom->kind == Atom::Kind::Clamp)
            inside = std::gcd(std::gcd(divisor(atom->inner), atom->a == -kNoEnd ? 0 : atom->a),
                              atom->b == kNoEnd ? 0 : atom->b);
        if (atom->kind == Atom::Kind::Modulo)
            inside = std::gcd(divisor(atom->inner), atom->a);
        out = std::gcd(out, c * inside);
    }
    return out;
}

// What memory holds along one dimension.
struct Held {
    std::string name; // of the least element's index; empty: it is `least`
    LinearForm least;
    std::int64_t extent = 0;
    std::int64_t row = 0; // elements from one row to the next: with padding
    bool folds = false;
};

class Part {
public:
    Part(const ScheduleState& state, const Layout& layout, const Prefetching& prefetch)
        : state_(state), layout_(layout), prefetch_(prefetch) {}

    Prefetch of(const DefinitionRef& reader) {
        Prefetch out;
        out.source = prefetch_.source;
        out.ahead = prefetch_.ahead;
        out.stage = reader.stage;
        out.definition = reader.definition;
        const auto& source = *layout_.derived->find(prefetch_.source);
        int widest = 1;
        for (auto type : source.types)
            widest = std::max(widest, bytes(type));
        out.step = std::max<std::int64_t>(1, prefetch_.line / widest);
        const auto& nest = nest_of(state_, {reader.stage, reader.definition});
        const auto position = static_cast<std::size_t>(nest.position_of(prefetch_.loop));
        variable_ = layout_.stages.at(reader.stage)
                        .nests[static_cast<std::size_t>(reader.definition)]
                        .variables[position];
        auto read = touched(
            layout_, *layout_.derived->find(reader.stage), reader.definition,
            visible_at(state_, layout_, {reader.stage, reader.definition, prefetch_.loop}), false);
        auto part = newly(read[prefetch_.source]);
        const auto held = held_of(source, out.contiguous);
        bool empty = part.empty();
        for (const auto& h : held)
            empty = empty || h.extent <= 0;
        if (empty)
            return out;
        for (std::size_t d = 0; d < part.size(); ++d)
            out.region.dimensions.push_back(inside(part[d], held[d], source.variables[d]));
        count_lines(out, part, held);
        return out;
    }

private:
    LinearForm in(const LinearForm& form, std::int64_t ahead) const {
        return with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
            if (atom.name != variable_)
                return std::nullopt;
            return variable_form(atom.name, atom.range) + LinearForm(ahead);
        });
    }

    // What iteration t + ahead needs and t + ahead - 1 does not; empty: nothing moves.
    std::vector<FormInterval> newly(const std::vector<FormInterval>& read) const {
        std::vector<FormInterval> out;
        std::size_t moving = 0, moved = 0;
        std::optional<std::int64_t> step;
        for (std::size_t d = 0; d < read.size(); ++d) {
            out.push_back({in(read[d].least, prefetch_.ahead),
                           in(read[d].greatest, prefetch_.ahead), read[d].exact});
            auto low = out[d].least - in(read[d].least, prefetch_.ahead - 1),
                 high = out[d].greatest - in(read[d].greatest, prefetch_.ahead - 1);
            if (low == LinearForm(0) && high == LinearForm(0))
                continue;
            ++moving;
            moved = d;
            step = low.is_constant() && low == high ? std::optional(low.constant()) : std::nullopt;
        }
        if (moving == 0)
            return {};
        if (moving > 1 || !step)
            return out;
        auto& along = out[moved];
        auto extent = difference_range(along.greatest, along.least).greatest + 1;
        if (*step > 0 && *step < extent)
            along.least = along.greatest - LinearForm(*step - 1);
        else if (*step < 0 && -*step < extent)
            along.greatest = along.least + LinearForm(-*step - 1);
        return out;
    }

    std::vector<Held> held_of(const Stage& source, std::size_t& contiguous) const {
        std::vector<Held> out;
        contiguous = source.variables.empty() ? 0 : source.variables.size() - 1;
        if (source.is_input) {
            for (const auto& extent : source.extents)
                out.push_back({"", LinearForm(0), extent.hint(), extent.hint(), false});
            return out;
        }
        const auto& s = *state_.find(source.name);
        const auto& layout = layout_.stages.at(source.name);
        if (!s.storage_order.empty())
            contiguous = static_cast<std::size_t>(s.storage_order.back());
        for (std::size_t d = 0; d < source.variables.size(); ++d) {
            const auto& stored = layout.stored[d];
            const auto padding = s.storage_padding.empty() ? 0 : s.storage_padding[d];
            if (stored.fold > 0) { // any element of the stage has a place
                const auto& box = layout_.boxes.at(source.name)[d];
                out.push_back({"", LinearForm(box.least), std::min(box.extent(), stored.fold),
                               stored.fold + padding, true});
                continue;
            }
            out.push_back({minimum_variable(s, source, layout, d), stored.min, stored.extent,
                           stored.extent + padding, false});
        }
        return out;
    }

    // Said with both ends in full: loops that warm up run below the ranges that forms know of.
    Region::Dimension inside(const FormInterval& part, const Held& held,
                             const std::string& index) const {
        Region::Dimension out;
        out.index = index;
        const auto extent = std::clamp<std::int64_t>(
            difference_range(part.greatest, part.least).greatest + 1, 1, held.extent);
        out.extent = Extent(extent);
        const auto most = held.folds
                              ? layout_.boxes.at(prefetch_.source)[dimension_of(index)].extent()
                              : held.extent;
        auto from_least = [&](std::int64_t elements) {
            return held.name.empty() ? layout_.expr(held.least + LinearForm(elements))
                                     : layout_.expr(variable_form(held.name, held.least.range()) +
                                                    LinearForm(elements));
        };
        if (part.least.is_constant() && held.least.is_constant())
            out.min =
                layout_.expr(LinearForm(std::clamp(part.least.constant(), held.least.constant(),
                                                   held.least.constant() + most - extent)));
        else
            out.min = binary(Op::Min, binary(Op::Max, layout_.expr(part.least), from_least(0)),
                             from_least(most - extent));
        return out;
    }

    std::size_t dimension_of(const std::string& index) const {
        return layout_.derived->find(prefetch_.source)->dimension_of(index);
    }

    // A row that begins with a line has no more lines than its elements fill.
    static void count_lines(Prefetch& out, const std::vector<FormInterval>& part,
                            const std::vector<Held>& held) {
        const auto c = out.contiguous;
        const auto extent = out.region.dimensions[c].extent.hint();
        const bool aligned = divisor(part[c].least - held[c].least) % out.step == 0 &&
                             (held[c].extent - extent) % out.step == 0 &&
                             (part.size() == 1 || held[c].row % out.step == 0) && !held[c].folds;
        out.lines =
            aligned ? (extent + out.step - 1) / out.step : (extent + out.step - 2) / out.step + 1;
    }

    const ScheduleState& state_;
    const Layout& layout_;
    const Prefetching& prefetch_;
    std::string variable_;
};

} // namespace

Prefetch prefetch_of(const ScheduleState& state, const Layout& layout, const DefinitionRef& reader,
                     const Prefetching& prefetch) {
    return Part(state, layout, prefetch).of(reader);
}

} // namespace loopscope
