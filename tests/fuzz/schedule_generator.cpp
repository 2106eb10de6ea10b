// Longer than files are here: one proposer, a function for each verb, whose draws are in one order.

#include "tests/fuzz/schedule_generator.h"

#include "core/language/schedule_parser.h"
#include "core/schedule/identity.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"
#include "tests/fuzz/expert_lines.h"
#include "tests/fuzz/line_by_fields.h"
#include "tests/fuzz/random.h"

#include <algorithm>
#include <deque>
#include <set>

namespace loopscope::fuzz {

namespace {

// A directive of whole stages is of an update where the stage has one.
std::string kind_of_definition(const ScheduleState& state, const Directive& directive) {
    const auto& ref = directive.receiver;
    const auto* stage = directive.per_stage() ? state.find(ref.stage) : nullptr;
    if (ref.definition > 0 || (stage && stage->definitions.size() > 1))
        return "update";
    const Definition* definition = state.definition(ref.stage, 0); // null: a copy
    return definition && definition->kind == DefinitionKind::Reduction ? "reduction" : "pure";
}

// Directives whose lines are drawn in a way of their own.
const std::set<std::string> kDrawn = {"split",        "tile",
                                      "fuse",         "reorder",
                                      "serial",       "parallel",
                                      "unroll",       "vectorize",
                                      "inline",       "compute_root",
                                      "compute_at",   "cache_read",
                                      "contract",     "reorder_storage",
                                      "pad_storage",  "rfactor",
                                      "atomic",       "fast_math",
                                      "bind",         "gpu_tile",
                                      "scope",        "cache_write",
                                      "store_root",   "store_at",
                                      "pipeline",     "specialize",
                                      "swizzle",      "persistent",
                                      "compute_with", "non_temporal",
                                      "prefetch",     "reverse_compute_at"};
// Lines about instructions, which random programs have no use for: test_gpu.cpp and
// test_tensor_core.cpp draw theirs.
const std::set<std::string> kOfInstructions = {"tensorize", "tensor_core"};

// Tails of splits are counted, too.
const std::vector<std::string> kTails = {"shift", "pad"};

// All others, in the order of the list: their lines are drawn by their fields.
const std::vector<std::string>& drawn_by_fields() {
    static const std::vector<std::string> verbs = [] {
        std::vector<std::string> out;
        for (const auto& kind : directive_kinds())
            if (!kDrawn.count(kind.verb) && !kOfInstructions.count(kind.verb))
                out.emplace_back(kind.verb);
        return out;
    }();
    return verbs;
}

class Proposer {
public:
    Proposer(const ScheduleState& state, Random& random, int& fresh)
        : state_(state), random_(random), fresh_(fresh) {}

    std::string line() {
        const auto& stage = *random_.pick(state_.stages);
        int d = random_.below(static_cast<int>(stage.definitions.size()));
        const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
        auto name = d == 0 ? stage.name : stage.name + ".update(" + std::to_string(d - 1) + ")";
        if (definition.loops.empty())
            return stage.name + ".compute_root()";
        auto loop = [&] { return random_.pick(definition.loops).name; };
        const int draw = random_.below(kDraws + static_cast<int>(drawn_by_fields().size()));
        switch (draw) {
        case 0:
        case 1:
        case 22: return split(name, definition);
        case 2:
            return definition.loops.size() < 2 ? split(name, definition)
                                               : tiled(name + ".tile(", definition);
        case 23: return reorder_storage(stage.name);
        case 25:
        case 26: return rfactor(name, definition);
        case 27:
        case 28: return atomic(name, definition);
        case 29: return name + ".fast_math()";
        case 41:
        case 42:
        case 43: {
            const auto copies = std::to_string(random_.pick({1, 2, 2, 3, 4, 7}));
            return placed(stage.name) + ".pipeline(" + copies + ")";
        }
        case 44: return name + ".persistent(" + bound_loop(definition) + ")";
        case 45: return pipelined(stage.name) + ".specialize(2)";
        case 46: return stage.name + ".swizzle()";
        case 47:
        case 48:
        case 49: return compute_with(stage, static_cast<int>(d));
        case 51:
        case 52: return name + ".non_temporal()";
        case 53:
        case 54:
        case 55:
        case 56: return prefetch(name, stage.name, d, loop());
        case 57:
        case 58:
        case 59: return reverse_compute_at();
        case 50: {
            // Levels are few: a definition whose loops none is bound to takes one for `persistent`.
            const auto free = loop();
            return name + ".bind(" + free + ", block.z)";
        }
        case 36: {
            const std::string level =
                random_.pick({"block.x", "block.y", "thread.x", "thread.y", "warp", "vthread"});
            return name + ".bind(" + loop() + ", " + level + ")";
        }
        case 37: return tiled(name + ".gpu_tile(", definition);
        case 38:
            return stage.name + ".scope(" +
                   random_.pick({std::string("global"), std::string("shared"), std::string("local"),
                                 std::string("register")}) +
                   ")";
        case 39:
        case 40:
            return "cache" + std::to_string(fresh_++) + " = " + stage.name + ".cache_write(local)";
        case 31:
        case 32:
        case 33:
        case 34:
        case 35: return store(stage.name);
        case 24: {
            const auto& variables = state_.declared(stage.name).variables;
            const auto more = std::to_string(random_.pick({0, 1, 2, 3, 5, 16}));
            return stage.name + ".pad_storage(" + random_.pick(variables) + ", " + more + ")";
        }
        case 3: {
            int p = random_.below(static_cast<int>(definition.loops.size()));
            int q = std::min(p + 1, static_cast<int>(definition.loops.size()) - 1);
            return name + ".fuse(" + definition.loops[static_cast<std::size_t>(p)].name + ", " +
                   definition.loops[static_cast<std::size_t>(q)].name + ", " + fresh() + ")";
        }
        case 4:
        case 5: {
            std::vector<std::string> names;
            for (const auto& l : definition.loops)
                names.push_back(l.name);
            for (std::size_t i = names.size(); i > 1; --i)
                std::swap(names[i - 1],
                          names[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
            if (names.size() > 2 && random_.chance(50))
                names.pop_back();
            std::string list;
            for (const auto& n : names)
                list += (list.empty() ? "" : ", ") + n;
            return name + ".reorder(" + list + ")";
        }
        case 6: return name + ".serial(" + loop() + ")";
        case 7: return name + ".parallel(" + loop() + ")";
        case 8: {
            const auto by = random_.chance(60) ? ", " + factor_and_tail() : "";
            return name + ".unroll(" + loop() + by + ")";
        }
        case 9:
        case 10: {
            const auto by = vector_factor();
            return name + ".vectorize(" + loop() + by + ")";
        }
        case 11: return stage.name + ".inline()";
        case 12: return stage.name + ".compute_root()";
        case 13: return cache_read(name, stage, d);
        case 14:
        case 15:
        case 16: return name + ".contract()";
        default:
            return draw < kDraws
                       ? compute_at(stage.name)
                       : line_by_fields(drawn_by_fields()[static_cast<std::size_t>(draw - kDraws)],
                                        {stage.name, d}, state_, random_, fresh_);
        }
    }

private:
    static constexpr int kDraws = 60; // of the lines that are drawn in ways of their own

    std::string fresh() { return "v" + std::to_string(fresh_++); }
    std::string factor() { return std::to_string(random_.pick({1, 2, 2, 3, 4, 4, 5, 8})); }
    std::string vector_factor() {
        if (random_.chance(15))
            return ", native" + tail();
        if (!random_.chance(70))
            return "";
        const auto end = tail();
        return ", " + std::to_string(random_.pick({2, 3, 4, 4, 8, 8, 16})) + end;
    }
    std::string factor_and_tail() {
        const auto end = tail();
        return factor() + end;
    }
    std::string tail() {
        return random_.chance(50) ? "" : random_.chance(50) ? ", shift" : ", pad";
    }

    std::string split(const std::string& name, const DefinitionState& definition) {
        const auto by = factor_and_tail(), inner = fresh(), outer = fresh();
        return name + ".split(" + random_.pick(definition.loops).name + ", " + outer + ", " +
               inner + ", " + by + ")";
    }

    // `verb`: "S.tile("
    std::string tiled(const std::string& verb, const DefinitionState& definition) {
        const auto a = random_.pick(definition.loops).name, b = random_.pick(definition.loops).name;
        const auto by_b = factor_and_tail(), by_a = factor();
        const auto bi = fresh(), ai = fresh(), bo = fresh(), ao = fresh();
        return verb + a + ", " + b + ", " + ao + ", " + bo + ", " + ai + ", " + bi + ", " + by_a +
               ", " + by_b + ")";
    }

    // With another definition at the same place: of itself, or of a stage near by.
    std::string compute_with(const StageState& stage, int d) {
        std::vector<std::pair<const StageState*, int>> others;
        for (const auto& other : state_.stages)
            if (other->compute == stage.compute)
                for (std::size_t e = 0; e < other->definitions.size(); ++e)
                    if (!other->definitions[e].loops.empty() &&
                        (other->name != stage.name || static_cast<int>(e) != d))
                        others.emplace_back(other.get(), static_cast<int>(e));
        if (others.empty())
            return stage.name + ".compute_root()";
        const auto [other, e] = random_.pick(others);
        const auto& loops = other->definitions[static_cast<std::size_t>(e)].loops;
        // Outer loops are shared more often than all.
        const auto& loop = random_.chance(60) ? loops.front() : random_.pick(loops);
        return definition_name(stage.name, d) + ".compute_with(" + definition_name(other->name, e) +
               ", " + loop.name + ")";
    }

    // In the loops of a stage that it reads: any definition whose loops no line has touched, for
    // few are left after some lines. An update to which its line applies goes first: chance alone
    // would leave them out.
    std::string reverse_compute_at() {
        std::vector<std::pair<std::string, const StageState*>> choices; // definition, what it reads
        std::vector<std::string> of_updates;
        for (const auto& stage : state_.stages)
            for (int d = 0; d < static_cast<int>(stage->definitions.size()); ++d) {
                if (stage->compute.kind == Placement::Kind::Inline ||
                    stage->definitions[static_cast<std::size_t>(d)].touched)
                    continue;
                for (const auto& read : read_graph(state_)->reads(stage->name, d))
                    if (const auto* made = state_.find(read);
                        made && read != stage->name && !made->definitions.back().loops.empty()) {
                        choices.emplace_back(definition_name(stage->name, d), made);
                        const auto line = reverse_line(choices.back().first, *made,
                                                       made->definitions.back().loops.front().name);
                        if (d > 0 && applies(line))
                            of_updates.push_back(line);
                    }
            }
        if (!of_updates.empty())
            return random_.pick(of_updates);
        if (choices.empty())
            return state_.stages.back()->name + ".compute_root()";
        const auto& [reader, source] = random_.pick(choices);
        const auto& loops = source->definitions.back().loops;
        const auto& loop = random_.chance(60) ? loops.front() : random_.pick(loops);
        return reverse_line(reader, *source, loop.name);
    }
    static std::string reverse_line(const std::string& reader, const StageState& source,
                                    const std::string& loop) {
        const auto last = static_cast<int>(source.definitions.size()) - 1;
        return reader + ".reverse_compute_at(" + definition_name(source.name, last) + ", " + loop +
               ")";
    }
    bool applies(const std::string& line) const {
        auto state = state_;
        const auto directive = parse_directive(line);
        return directive && (*directive)->apply(state, {}).ok();
    }

    // A stage that is computed at a loop, if there is one.
    std::string placed(const std::string& any) {
        std::vector<std::string> names;
        for (const auto& stage : state_.stages)
            if (stage->compute.kind == Placement::Kind::At)
                names.push_back(stage->name);
        return names.empty() ? any : random_.pick(names);
    }

    std::string pipelined(const std::string& any) {
        for (const auto& stage : state_.stages)
            if (stage->pipeline > 1)
                return stage->name;
        return any;
    }

    std::string bound_loop(const DefinitionState& definition) {
        for (const auto& loop : definition.loops)
            if (loop.binding.rfind("block", 0) == 0)
                return loop.name;
        return random_.pick(definition.loops).name;
    }

    std::string store(const std::string& any) {
        const auto stage = placed(any);
        auto around = loops_around(state_, stage);
        if (around.empty() || random_.chance(25))
            return stage + ".store_root()";
        auto at = random_.pick(around);
        const auto& host = *state_.find(at.stage);
        const auto& nest = host.definitions[static_cast<std::size_t>(at.definition)];
        return stage + ".store_at(" + definition_name(at.stage, at.definition) + ", " +
               nest.loops[static_cast<std::size_t>(nest.position_of(at.loop))].name + ")";
    }

    std::string reorder_storage(const std::string& stage) {
        auto names = state_.declared(stage).variables;
        for (std::size_t i = names.size(); i > 1; --i)
            std::swap(names[i - 1],
                      names[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
        std::string list;
        for (const auto& name : names)
            list += (list.empty() ? "" : ", ") + name;
        return stage + ".reorder_storage(" + list + ")";
    }

    // Mostly of a reduction loop: a free one is refused.
    std::string reduction_loop(const DefinitionState& definition) {
        std::vector<std::string> loops;
        for (const auto& loop : definition.loops)
            if (loop.reduction)
                loops.push_back(loop.name);
        return loops.empty() || random_.chance(5) ? random_.pick(definition.loops).name
                                                  : random_.pick(loops);
    }

    std::string rfactor(const std::string& name, const DefinitionState& definition) {
        return "factor" + std::to_string(fresh_++) + " = " + name + ".rfactor(" +
               reduction_loop(definition) + ")";
    }

    // Once it is atomic, a loop whose iterations may collide.
    std::string atomic(const std::string& name, const DefinitionState& definition) {
        if (!definition.atomic)
            return name + ".atomic()";
        const auto loop = reduction_loop(definition);
        return name + (random_.chance(70) ? ".parallel(" : ".vectorize(") + loop + ")";
    }

    // A stage is placed in one defined after it, most often the next: most readers stand there.
    std::string compute_at(const std::string& stage) {
        auto own = static_cast<std::size_t>(state_.index_of(stage));
        auto later = std::min(own + 1 + static_cast<std::size_t>(random_.below(3) / 2),
                              state_.stages.size() - 1);
        const auto& host =
            random_.chance(70) ? *state_.stages[later] : *random_.pick(state_.stages);
        int d = random_.below(static_cast<int>(host.definitions.size()));
        const auto& definition = host.definitions[static_cast<std::size_t>(d)];
        if (definition.loops.empty())
            return stage + ".compute_root()";
        auto at = d == 0 ? host.name : host.name + ".update(" + std::to_string(d - 1) + ")";
        return stage + ".compute_at(" + at + ", " + random_.pick(definition.loops).name + ")";
    }

    // Mostly of what the definition reads, inputs included.
    std::string prefetch(const std::string& name, const std::string& stage, int d,
                         const std::string& loop) {
        std::vector<std::string> sources;
        const auto graph = read_graph(state_);
        for (const auto& source : graph->reads(stage, d))
            sources.push_back(source);
        const auto ahead = std::to_string(random_.pick({1, 1, 2, 3, 8, 100}));
        return name + ".prefetch(" + (sources.empty() ? stage : random_.pick(sources)) + ", " +
               loop + ", " + ahead + ")";
    }

    std::string cache_read(const std::string& name, const StageState& stage, int d) {
        std::vector<std::string> sources;
        const Definition* own = state_.definition(stage.name, d);
        if (!own)
            return stage.name + ".compute_root()";
        for (const auto& e : own->values)
            visit(e, [&](const Expr& node) {
                if (node.kind == ExprKind::Load && node.name != stage.name)
                    sources.push_back(node.name);
                return true;
            });
        if (sources.empty())
            return stage.name + ".compute_root()";
        const auto source = random_.pick(sources);
        const auto copy = "copy" + std::to_string(fresh_++);
        return copy + " = " + name + ".cache_read(" + source + ", local" +
               other_reader(source, stage.name, d) + ")";
    }

    // Often a copy is for one more definition that reads the same; empty: for none.
    std::string other_reader(const std::string& source, const std::string& stage, int d) {
        std::vector<std::string> others;
        for (const auto& other : state_.stages)
            for (int o = 0; o < static_cast<int>(other->definitions.size()); ++o)
                if ((other->name != stage || o != d) &&
                    state_.reads->of(other->name, o).count(source))
                    others.push_back(", " + other->name +
                                     (o == 0 ? "" : ".update(" + std::to_string(o - 1) + ")"));
        return others.empty() || random_.below(2) == 0 ? std::string() : random_.pick(others);
    }

    const ScheduleState& state_;
    Random& random_;
    int& fresh_;
};

} // namespace

std::string random_line(const ScheduleState& state, Random& random, int& fresh) {
    return Proposer(state, random, fresh).line();
}

namespace {

constexpr int kProposals = 160; // for as many directives as are wanted
constexpr int kMaxLeast = 2000; // for the least number of them
constexpr int kRedraws = 60;    // until a line has a favoured verb

std::string favoured_line(const ScheduleState& state, Random& random, int& fresh,
                          const std::vector<std::string>& favoured) {
    auto line = random_line(state, random, fresh);
    if (favoured.empty() || random.chance(30))
        return line;
    auto has_verb = [&](const std::string& verb) {
        return line.find("." + verb + "(") != std::string::npos;
    };
    for (int i = 0; i < kRedraws && std::none_of(favoured.begin(), favoured.end(), has_verb); ++i)
        line = random_line(state, random, fresh);
    return line;
}

void count_pairs(const std::vector<std::pair<std::string, std::string>>& kept, Coverage& coverage) {
    std::set<std::pair<std::string, std::string>> beside, stacked;
    for (const auto& [first, stage] : kept)
        for (const auto& [second, other] : kept)
            if (first < second) {
                beside.insert({first, second});
                if (stage == other)
                    stacked.insert({first, second});
            }
    for (const auto& pair : beside)
        ++coverage.beside[pair];
    for (const auto& pair : stacked)
        ++coverage.stacked[pair];
}

} // namespace

RandomSchedule random_schedule(const PipelinePtr& pipeline, std::uint64_t seed, Coverage* coverage,
                               const std::vector<std::string>& favoured) {
    Random random(seed ^ 0x5ced);
    auto state = ScheduleState::initial(pipeline);
    RandomSchedule out;
    out.text = "schedule for " + pipeline->name + "\n";
    int wanted = random.between(kMinDirectives, 14), fresh = 0;
    ApplyContext context;
    std::deque<std::string> lines;
    std::vector<std::pair<std::string, std::string>> kept; // verb, stage
    while (out.directives < wanted &&
           out.proposed < (out.directives < kMinDirectives ? kMaxLeast : kProposals)) {
        if (lines.empty() && random.chance(25))
            for (auto& line : expert_lines(state, random, fresh))
                lines.push_back(std::move(line));
        if (lines.empty())
            lines.push_back(favoured_line(state, random, fresh, favoured));
        const auto line = lines.front();
        lines.pop_front();
        ++out.proposed;
        auto directive = parse_directive(line);
        if (!directive) {
            out.text += "# " + line + "\n";
            ++out.refused;
            continue;
        }
        auto copy = state;
        if (!apply_line(copy, **directive, context) || !build_tree(copy)) {
            ++out.refused;
            continue;
        }
        kept.emplace_back((*directive)->verb(), (*directive)->receiver.stage);
        if (coverage) {
            auto kind = kind_of_definition(state, **directive);
            ++coverage->kinds[{(*directive)->verb(), kind}];
            for (const auto& tail : kTails)
                if (line.ends_with(", " + tail + ")"))
                    ++coverage->kinds[{tail, kind}];
        }
        state = std::move(copy);
        out.text += line + "\n";
        ++out.directives;
    }
    if (coverage)
        count_pairs(kept, *coverage);
    return out;
}

namespace {

const std::vector<std::string> kKinds = {"pure", "reduction", "update"};

// What is drawn, in the order of the list.
const std::vector<std::string>& verbs_drawn() {
    static const std::vector<std::string> verbs = [] {
        std::vector<std::string> out;
        for (const auto& kind : directive_kinds())
            if (!kOfInstructions.count(kind.verb))
                out.emplace_back(kind.verb);
        return out;
    }();
    return verbs;
}

std::vector<std::string> rows_counted() {
    auto rows = verbs_drawn();
    rows.insert(rows.end(), kTails.begin(), kTails.end());
    return rows;
}

} // namespace

std::size_t possible_pairs() {
    const auto verbs = verbs_drawn().size();
    return verbs * (verbs - 1) / 2;
}

std::string coverage_table(const Coverage& coverage) {
    std::string out = "directive              pure  reduction     update\n";
    for (const auto& verb : rows_counted()) {
        std::string row = verb + std::string(20 - verb.size(), ' ');
        for (const auto& kind : kKinds) {
            auto it = coverage.kinds.find({verb, kind});
            auto number = it == coverage.kinds.end() ? "-" : std::to_string(it->second);
            row += std::string(number.size() < 11 ? 11 - number.size() : 1, ' ') + number;
        }
        out += row + "\n";
    }
    const auto& verbs = verbs_drawn();
    std::string apart;
    int missing = 0;
    for (std::size_t a = 0; a < verbs.size(); ++a)
        for (std::size_t b = a + 1; b < verbs.size(); ++b)
            if (!coverage.beside.count(std::minmax(verbs[a], verbs[b])) && ++missing <= 12)
                apart += (apart.empty() ? " " : ", ") + verbs[a] + " with " + verbs[b];
    return out + "pairs of directives: " + std::to_string(coverage.beside.size()) + " of " +
           std::to_string(possible_pairs()) + " in one schedule, " +
           std::to_string(coverage.stacked.size()) + " on one stage; in no schedule:" +
           (apart.empty() ? " none" : apart + (missing > 12 ? ", …" : "")) + "\n";
}

std::vector<std::pair<std::string, std::string>> empty_cells(const Coverage& coverage) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& verb : rows_counted())
        for (const auto& kind : kKinds) {
            // inline and a shifted tail need a pure definition …
            if (verb == "inline" && kind != "pure")
                continue;
            if (verb == "shift" && kind != "pure")
                continue;
            // … and these two something that is combined.
            if ((verb == "rfactor" || verb == "atomic") && kind == "pure")
                continue;
            if (!coverage.kinds.count({verb, kind}))
                out.emplace_back(verb, kind);
        }
    return out;
}

} // namespace loopscope::fuzz
