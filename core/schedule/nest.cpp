#include "core/schedule/nest.h"

#include "core/device/device.h"
#include "core/ir/limits.h"
#include "core/schedule/identity.h"
#include "core/schedule/legality.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"
#include "core/schedule/tensorizing.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

constexpr std::size_t kMaxLoops = 64, kMaxRelations = 256; // of one definition
constexpr int kDefaultVectorBits = 256;                    // when no device is named

std::string list_of_names(const std::vector<LoopState>& loops) {
    std::string text;
    for (const auto& loop : loops)
        text += (text.empty() ? "" : ", ") + loop.name;
    return text;
}

} // namespace

bool is_plain_name(const std::string& name) {
    auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && letter(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

std::vector<std::string> stage_names(const ScheduleState& state, bool inputs) {
    std::vector<std::string> names;
    for (const auto& stage : state.stages)
        names.push_back(stage->name);
    if (inputs)
        for (const auto& stage : state.pipeline->stages)
            if (stage.is_input)
                names.push_back(stage.name);
    return names;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
    auto nearest = nearest_name(name, candidates);
    return nearest.empty() ? "" : "did you mean " + nearest + "?";
}

Result<DefinitionRef> find_definition(const ScheduleState& state, const DefinitionRef& ref) {
    const StageState* stage = state.find(ref.stage);
    if (!stage) {
        if (state.pipeline->find(ref.stage))
            return coded_error(
                "unknown-name", ref.stage + " is an input: it is given, not computed",
                "a copy takes directives: B = S.cache_read(" + ref.stage + ", local)");
        auto remedy = did_you_mean(ref.stage, stage_names(state, false));
        return coded_error("unknown-name", "there is no stage " + ref.stage,
                           remedy.empty() ? "`show` lists the stages" : remedy);
    }
    auto count = static_cast<int>(stage->definitions.size());
    if (ref.definition < 0 || ref.definition >= count)
        return coded_error("unknown-name",
                           ref.text() + " does not exist: " + ref.stage + " has " +
                               (count == 1 ? "no update"
                                : count == 2
                                    ? "one update, update(0)"
                                    : std::to_string(count - 1) + " updates, update(0) to update(" +
                                          std::to_string(count - 2) + ")"),
                           "");
    return ref;
}

Result<std::size_t> find_loop(const ScheduleState& state, const DefinitionRef& ref,
                              const std::string& loop) {
    const auto& nest = state.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)];
    if (int at = nest.position(loop); at >= 0)
        return static_cast<std::size_t>(at);
    std::vector<std::string> names;
    for (const auto& each : nest.loops)
        names.push_back(each.name);
    return coded_error("unknown-name",
                       ref.text() + " has no loop " + loop + "; its loops are " +
                           (names.empty() ? "none" : list_of_names(nest.loops)),
                       did_you_mean(loop, names));
}

Result<LoopRef> find_host_loop(const ScheduleState& state, const Directive& directive,
                               const DefinitionRef& host, const std::string& loop,
                               const std::string& what) {
    if (auto there = find_definition(state, host); !there)
        return directive.at("host", there.errors());
    const StageState& stage = *state.find(host.stage);
    if (stage.compute.kind == Placement::Kind::Inline)
        return directive.refuse("host",
                                host.stage + " is inlined: it has no loop at which " +
                                    directive.receiver.stage + " could be " + what,
                                "name a loop of a stage that " + host.stage + " is inlined into");
    auto position = find_loop(state, host, loop);
    if (!position)
        return directive.at("loop", position.errors());
    return LoopRef{
        host.stage, host.definition,
        stage.definitions[static_cast<std::size_t>(host.definition)].loops[*position].id};
}

Result<std::int64_t> factor_value(const ScheduleState& state, const std::string& stage,
                                  const Factor& factor, const ApplyContext& context) {
    if (factor.value < 1 || factor.value > kMaxExtent)
        return error("a factor of " + factor.text() + " is out of range",
                     "factors are from 1 to 2147483647");
    if (!factor.native)
        return factor.value;
    auto type = state.declared(stage).types.front();
    std::int64_t lanes =
        context.device ? context.device->lanes(type) : std::max(1, kDefaultVectorBits / bits(type));
    if (factor.value > kMaxExtent / lanes)
        return error("a factor of " + factor.text() + " is out of range",
                     "factors are from 1 to 2147483647");
    return factor.value * lanes;
}

Status check_made_name(const ScheduleState& state, const Directive& directive, const char* field,
                       const std::string& made, const std::string& example) {
    if (made.empty())
        return directive.refuse(
            field, std::string(directive.verb()) + " makes a stage, and it has no name",
            "write " + example + " = " + directive.text());
    if (!is_plain_name(made))
        return directive.refuse(
            field, "'" + made + "' is no name for a stage",
            "names are ASCII letters, digits and '_', not starting with a digit");
    if (state.known(made))
        return directive.refuse(field, "the name " + made + " is taken",
                                "choose one that no stage or input has");
    return success();
}

std::string tail_phrase(Tail tail) {
    return tail == Tail::Shift ? ", shifting the tail" : tail == Tail::Pad ? ", padding it" : "";
}

Result<Nest> Nest::open(ScheduleState& state, const DefinitionRef& ref) {
    auto found = find_definition(state, ref);
    if (!found)
        return found.errors();
    if (state.find(ref.stage)->compute.kind == Placement::Kind::Inline)
        return error(ref.stage + " is inlined: it has no loops",
                     ref.stage + ".compute_root() gives it loops again");
    auto& loops = state.edit(ref.stage).definitions[static_cast<std::size_t>(ref.definition)];
    loops.touched = true;
    return Nest(state, ref, loops);
}

Result<std::size_t> Nest::position(const std::string& loop) const {
    return find_loop(*state_, ref_, loop);
}

Status Nest::not_in_use(std::size_t position, const std::string& to_do) const {
    if (loops_->loops.size() >= kMaxLoops || loops_->relations.size() >= kMaxRelations)
        return error(text() + " has " + std::to_string(loops_->loops.size()) + " loops after " +
                         std::to_string(loops_->relations.size()) +
                         " splits and fusions: that is the limit",
                     "at most " + std::to_string(kMaxLoops) + " loops and " +
                         std::to_string(kMaxRelations) + " splits and fusions");
    if (auto plain = check_not_tensorized(*loops_, text(), position, to_do); !plain)
        return plain;
    const auto& loop = loops_->loops[position];
    auto here = text() + "." + loop.name;
    const LoopRef itself{ref_.stage, ref_.definition, loop.id};
    if (auto placed = state_->placed_at(itself); !placed.empty()) {
        const auto words = placed_words(*state_, placed.front(), itself);
        return error(here + " cannot be " + to_do + ": " + placed.front() + " is " + words.placed +
                         " at it",
                     "write this line before " + placed.front() + "." + words.verb + "(" + text() +
                         ", " + loop.name + ")");
    }
    for (const auto& prefetch : loops_->prefetches)
        if (prefetch.loop == loop.id)
            return error(here + " cannot be " + to_do + ": " + prefetch.source +
                             " is prefetched at it",
                         "write this line before " + text() + ".prefetch(" + prefetch.source +
                             ", " + loop.name + ", " + std::to_string(prefetch.ahead) + ")");
    if (!loop.binding.empty())
        return error(here + " cannot be " + to_do + ": it is bound to " + loop.binding,
                     "write this line before " + text() + ".bind(" + loop.name + ", " +
                         loop.binding + "), or " + text() + ".serial(" + loop.name + ") first");
    if (loop.kind == LoopKind::Vectorized)
        return error(here + " cannot be " + to_do + ": it is vectorised",
                     unvectorized_remedy(position));
    return success();
}

// What to write in place of the line that vectorised a loop. One that this line itself made, as
// vectorize(x, 8) makes x_v, has no name before it.
std::string Nest::unvectorized_remedy(std::size_t position) const {
    const auto& loop = loops_->loops[position];
    for (const auto& r : loops_->relations)
        for (const auto& outer : loops_->loops)
            if (r.kind == Relation::Kind::Split && r.inner == loop.id && r.outer == outer.id &&
                loop.name == outer.name + "_v")
                return "vectorize last: " + text() + ".split(" + outer.name + ", " + outer.name +
                       ", " + loop.name + ", " + std::to_string(r.factor) +
                       (r.tail == Tail::Guard ? "" : std::string(", ") + name(r.tail)) +
                       "), then this line, then " + text() + ".vectorize(…)";
    return "write this line before " + text() + ".vectorize(" + loop.name + ")";
}

bool Nest::ends_with_its_axis(int loop) const {
    for (auto r = loops_->relations.rbegin(); r != loops_->relations.rend(); ++r) {
        if (r->kind == Relation::Kind::Split && r->inner == loop)
            return false;
        if (r->kind == Relation::Kind::Split && r->outer == loop)
            loop = r->parent;
        else if (r->kind == Relation::Kind::Fuse && r->parent == loop)
            loop = r->outer;
    }
    return true;
}

std::optional<std::int64_t> Nest::fixed_extent(int loop) const {
    std::map<int, std::int64_t> extents; // relations stand in the order in which they were made
    for (const auto& r : loops_->relations) {
        if (r.kind == Relation::Kind::Split) {
            if (auto parent = extents.find(r.parent); parent != extents.end())
                extents[r.outer] = (parent->second + r.factor - 1) / r.factor;
            extents[r.inner] = r.factor;
        } else if (extents.count(r.outer) && extents.count(r.inner) &&
                   extents[r.outer] <= kMaxExtent / extents[r.inner]) {
            extents[r.parent] = extents[r.outer] * extents[r.inner];
        }
    }
    auto found = extents.find(loop);
    return found == extents.end() ? std::nullopt : std::optional(found->second);
}

Status Nest::tail_fits(std::size_t position, Tail tail, std::int64_t factor) const {
    const auto* definition = state_->definition(ref_.stage, ref_.definition); // null: a copy
    bool pure = !definition || definition->kind == DefinitionKind::Pure;
    bool output = state_->pipeline->find_output(ref_.stage) != nullptr;
    bool reduction = loops_->loops[position].reduction;
    std::string others = pure                                         ? ", or shift"
                         : !output && !reduction && tail != Tail::Pad ? ", or pad"
                                                                      : "";
    auto remedy = "write guard, which computes each point once" + others;
    if (tail == Tail::Shift && !pure)
        return error("the tail shift is for pure definitions: " + text() +
                         (definition->kind == DefinitionKind::Update
                              ? " is an update, which would change some points twice"
                              : " is a reduction, which would take some terms twice"),
                     remedy);
    if (tail == Tail::Pad && reduction)
        return error(text() + "." + loops_->loops[position].name +
                         " runs over a reduction axis: the tail pad would add terms that are not "
                         "there",
                     "write guard, which computes each point once");
    auto extent = fixed_extent(loops_->loops[position].id);
    if (tail == Tail::Pad && !ends_with_its_axis(loops_->loops[position].id) &&
        (!extent || *extent % factor != 0))
        return error(text() + "." + loops_->loops[position].name +
                         " is within a tile: what the tail pad computes beyond it are points of "
                         "the next one",
                     "pad the split that made the tile, or " + remedy);
    if (tail == Tail::Pad && output)
        return error("the tail pad computes beyond what is needed of " + ref_.stage +
                         ", which is an output: its storage is the caller's",
                     remedy);
    return success();
}

Status Nest::names_are_free(const std::vector<std::string>& made,
                            const std::vector<std::string>& released) const {
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (!is_plain_name(made[i]))
            return error("'" + made[i] + "' is no name for a loop",
                         "names are ASCII letters, digits and '_', not starting with a digit");
        if (std::find(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(i), made[i]) !=
            made.begin() + static_cast<std::ptrdiff_t>(i))
            return error("two new loops cannot both be named " + made[i],
                         "take another name for one of them");
        bool goes = std::find(released.begin(), released.end(), made[i]) != released.end();
        if (!goes && loops_->find(made[i]))
            return error(text() + " already has a loop named " + made[i], "take another name");
    }
    return success();
}

void Nest::split(std::size_t position, const std::string& outer, const std::string& inner,
                 std::int64_t factor, Tail tail) {
    auto& loops = loops_->loops;
    LoopState outer_loop = loops[position], inner_loop = loops[position];
    outer_loop.id = new_id();
    outer_loop.name = outer;
    inner_loop.id = new_id();
    inner_loop.name = inner;
    inner_loop.kind = LoopKind::Serial;
    inner_loop.binding.clear();
    inner_loop.numbers = {};
    loops_->relations.push_back(
        {Relation::Kind::Split, loops[position].id, outer_loop.id, inner_loop.id, factor, tail});
    loops[position] = outer_loop;
    loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(position) + 1, inner_loop);
}

void Nest::run_as(std::size_t position, LoopKind kind, const std::string& level,
                  const device::Numbering& numbers) {
    loops_->loops[position].kind = kind;
    loops_->loops[position].binding = level;
    loops_->loops[position].numbers = numbers;
    loops_->loops[position].persistent = false;
}

void Nest::reorder(const std::vector<std::size_t>& positions) {
    auto places = positions;
    std::sort(places.begin(), places.end());
    auto before = loops_->loops;
    for (std::size_t i = 0; i < positions.size(); ++i)
        loops_->loops[places[i]] = before[positions[i]];
}

Result<std::size_t> Nest::split_for(const Directive& directive, std::size_t position,
                                    const Factor& factor, const std::string& suffix, Tail tail,
                                    const ApplyContext& context) {
    auto loop = loops_->loops[position].name;
    if (auto free = not_in_use(position, "split"); !free)
        return directive.at("loop", free.errors());
    if (loops_->find(loop + suffix))
        return directive.refuse("loop", text() + " already has a loop named " + loop + suffix,
                                "split with names of your own: " + text() + ".split(" + loop +
                                    ", …)");
    auto extent = factor_value(*state_, ref_.stage, factor, context);
    if (!extent)
        return directive.at("factor", extent.errors());
    if (*extent > kMaxLanes)
        return directive.refuse("factor", "a factor of " + factor.text() + " is too large here",
                                "at most " + std::to_string(kMaxLanes) + "; split for more");
    if (auto fits = tail_fits(position, tail, *extent); !fits)
        return directive.at("tail", fits.errors());
    split(position, loop, loop + suffix, *extent, tail);
    return position + 1;
}

Status Nest::keeps_instruction() const {
    const auto from = loops_->tensorized_from();
    const auto& loops = loops_->loops;
    for (auto p = from; p < loops.size(); ++p) {
        const auto before = std::find_if(before_.begin(), before_.end(),
                                         [&](const auto& loop) { return loop.id == loops[p].id; });
        if (before == before_.end() ||
            before_.end() - before != loops.end() - loops.begin() - static_cast<std::ptrdiff_t>(p))
            return check_not_tensorized(*loops_, text(), p, "moved");
        if (before->kind != loops[p].kind || before->binding != loops[p].binding)
            return check_not_tensorized(*loops_, text(), p, kind_text(loops[p]));
    }
    return success();
}

Status Nest::finish() {
    if (auto kept = keeps_instruction(); !kept)
        return kept;
    if (auto legal = check_nest(*state_, ref_.stage, ref_.definition, before_); !legal)
        return legal;
    loops_->reassociates = reassociates(*state_, ref_.stage, ref_.definition);
    if (auto shared = check_shared_loops_stay(*state_, {ref_.stage, ref_.definition}, before_);
        !shared)
        return shared;
    // The order and kinds of loops matter to placements only where something is computed at one of
    // them.
    const auto placed = state_->stages.having(StageTrait::Placed);
    bool hosts = std::any_of(placed.begin(), placed.end(), [&](const auto* stage) {
        const auto& at = stage->compute.at;
        return stage->compute.kind == Placement::Kind::At && at.stage == ref_.stage &&
               at.definition == ref_.definition;
    });
    return hosts || any_merges(*state_) ? check_placements(*state_) : success();
}

Status Nest::finish(const Directive& directive) {
    auto legal = finish();
    return legal ? legal : directive.at("loop", legal.errors());
}

Result<OpenLoop> open_loop(ScheduleState& state, const Directive& directive,
                           const std::string& loop) {
    auto nest = Nest::open(state, directive.receiver);
    if (!nest)
        return directive.at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return directive.at("loop", position.errors());
    return OpenLoop{std::move(*nest), *position};
}

} // namespace loopscope
