#include "core/schedule/inferred.h"

#include "core/ir/definition_expressions.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/merging.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/storage.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

// What a stage names in loads, and whether values decide where it reads or writes.
void note_loads(const Stage& stage, BoxRecord& record) {
    std::set<std::string> names;
    for (const auto& definition : stage.definitions) {
        each_expression(definition, [&](const ExprPtr& e) {
            visit(e, [&](const Expr& node) {
                if (node.kind == ExprKind::Let) // its name may stand in an index
                    record.by_values = record.by_values || contains_load(node.args[0]);
                if (node.kind != ExprKind::Load)
                    return true;
                names.insert(node.name);
                record.by_values = record.by_values ||
                                   std::any_of(node.args.begin(), node.args.end(), contains_load);
                return true;
            });
        });
        record.by_values = record.by_values || std::any_of(definition.left.begin(),
                                                           definition.left.end(), contains_load);
    }
    record.loads.assign(names.begin(), names.end());
}

using LayoutRecords = std::vector<std::shared_ptr<const LayoutRecord>>;

// By stage of `now`: its place in `before`.
std::vector<std::size_t> places(const Derivation& now, const Derivation& before) {
    std::map<std::string, std::size_t> index;
    for (std::size_t s = 0; s < before.states.size(); ++s)
        index.emplace(before.states[s]->name, s);
    std::vector<std::size_t> out;
    for (const auto& state : now.states) {
        auto found = index.find(state->name);
        out.push_back(found == index.end() ? before.states.size() : found->second);
    }
    return out;
}

// What was known, by stage of `now`, wherever its stages stood.
template <typename Record>
std::vector<std::shared_ptr<const Record>>
moved(const std::vector<std::shared_ptr<const Record>>& records, const Derivation& before,
      const Derivation& now) {
    if (&now == &before)
        return records;
    std::vector<std::shared_ptr<const Record>> out;
    for (auto place : places(now, before))
        out.push_back(place < records.size() ? records[place] : nullptr);
    return out;
}

class BoxUpdate {
public:
    explicit BoxUpdate(std::shared_ptr<const Derivation> derivation)
        : pipeline_(*derivation->pipeline), values_(pipeline_) {
        out_.derivation = std::move(derivation);
    }

    // `known`: by stage of the state, of an earlier one; null where there is none.
    InferredBoxes run(const std::vector<std::shared_ptr<const BoxRecord>>& known) {
        for (const auto& stage : pipeline_.stages)
            out_.boxes[stage.name] = Box(stage.variables.size());
        for (const auto& output : pipeline_.outputs) {
            Box box;
            for (const auto& extent : output.extents)
                box.push_back({0, extent.hint() - 1});
            out_.boxes[output.stage] = hull(out_.boxes[output.stage], box);
        }
        const auto& derivation = *out_.derivation;
        out_.records.resize(derivation.stages.size());
        for (auto s = derivation.stages.size(); s-- > 0;) {
            if (derivation.states[s]->compute.kind == Placement::Kind::Inline)
                continue;
            auto& box = out_.boxes.at(derivation.stages[s]->name);
            auto old = s < known.size() ? known[s] : nullptr;
            bool holds =
                old && old->stage == derivation.stages[s] && old->needed == box && !old->by_values;
            out_.records[s] = holds ? old : found(derivation.stages[s], box);
            if (!out_.errors.empty())
                break;
            const auto& record = *out_.records[s];
            box = record.found.box;
            for (const auto& [name, read] : record.found.reads) {
                auto& target = out_.boxes.at(name);
                target = hull(target, read);
            }
            for (const auto& name : record.loads)
                out_.readers[name].push_back(s);
        }
        return std::move(out_);
    }

    std::size_t count() const { return count_; }

private:
    std::shared_ptr<const BoxRecord> found(const std::shared_ptr<const Stage>& stage,
                                           const Box& needed) {
        ++count_;
        auto record = std::make_shared<BoxRecord>();
        record->stage = stage;
        record->needed = needed;
        record->found = stage_box(pipeline_, *stage, needed, values_, out_.errors);
        note_loads(*stage, *record);
        return record;
    }

    const Pipeline& pipeline_;
    ValueRanges values_;
    InferredBoxes out_;
    std::size_t count_ = 0;
};

class LayoutUpdate {
public:
    LayoutUpdate(const ScheduleState& state, const InferredBoxes& boxes)
        : state_(state), boxes_(boxes), paths_(state), merges_(any_merges(state)) {
        layout_.derived = boxes.derivation->pipeline;
        layout_.boxes = boxes.boxes;
        padded_.emplace(*layout_.derived, layout_.boxes);
        readers_.emplace(*layout_.derived);
        if (merges_ || std::any_of(state.stages.begin(), state.stages.end(), at_loop))
            number_stages();
    }

    // `known`: by stage of the state, of an earlier one; null where there is none.
    Status run(const LayoutRecords& known) {
        records.resize(state_.stages.size());
        for (auto s = state_.stages.size(); s-- > 0;) {
            if (state_.stages[s]->compute.kind == Placement::Kind::Inline)
                continue;
            auto depends = dependences(s);
            if (s < known.size() && known[s] && holds(*known[s], s, depends)) {
                records[s] = known[s];
                if (records[s]->grown)
                    layout_.boxes.at(name(s)) = records[s]->box;
                for (const auto& [variable, first] : records[s]->begins_after)
                    if (first < 0)
                        layout_.begins[variable] = first;
            } else if (auto made = lay_out(s, depends); !made) {
                return made;
            }
            padded_->add(name(s), records[s]->reads);
        }
        return padded_->check_inputs();
    }

    // After run(): the layouts of these stages, of what is around them, and all boxes.
    const Layout& layout_of(const std::set<std::string>& stages) {
        if (index_.empty())
            number_stages();
        std::vector<std::size_t> shown;
        for (const auto& stage : stages)
            shown.push_back(index_.at(stage));
        show(shown);
        return layout_;
    }
    // After run(), and last: all layouts.
    Layout whole() {
        layout_.stages.clear();
        layout_.region_variables.clear();
        for (auto s = records.size(); s-- > 0;) {
            if (!records[s])
                continue;
            const auto& layout = records[s]->layout;
            layout_.stages.emplace(name(s), layout);
            layout_.region_variables.insert(records[s]->region_variables.begin(),
                                            records[s]->region_variables.end());
            for (auto nest = layout.nests.rbegin(); nest != layout.nests.rend(); ++nest)
                for (std::size_t l = 0; l < nest->variables.size(); ++l)
                    layout_.loop_extents[nest->variables[l]] = nest->extents[l];
        }
        return std::move(layout_);
    }
    const std::map<std::string, std::int64_t>& begins() const { return layout_.begins; }

    LayoutRecords records;
    std::size_t count = 0;

private:
    void number_stages() {
        for (std::size_t s = 0; s < state_.stages.size(); ++s)
            index_.emplace(state_.stages[s]->name, s);
    }
    static bool at_loop(const std::shared_ptr<const StageState>& s) {
        return s->compute.kind == Placement::Kind::At;
    }
    const std::string& name(std::size_t s) const { return state_.stages[s]->name; }
    std::size_t host(std::size_t s) const { return index_.at(state_.stages[s]->compute.at.stage); }

    std::int64_t begin_of(const std::string& variable) const {
        const auto found = layout_.begins.find(variable);
        return found == layout_.begins.end() ? 0 : found->second;
    }

    std::vector<std::vector<std::string>> merged(std::size_t s) {
        std::vector<std::vector<std::string>> out;
        if (merges_)
            for (std::size_t d = 0; d < state_.stages[s]->definitions.size(); ++d)
                out.push_back(paths_.merged_variables({name(s), static_cast<int>(d)}));
        return out;
    }

    // First values of the loops around the stage, which show what it depends on.
    std::vector<std::pair<std::string, std::int64_t>> begins_around(std::size_t s) const {
        std::vector<std::pair<std::string, std::int64_t>> out;
        if (at_loop(state_.stages[s]))
            for (const auto& variable : visible_at(state_, layout_, state_.stages[s]->compute.at))
                out.emplace_back(variable, begin_of(variable));
        return out;
    }

    bool holds(const LayoutRecord& old, std::size_t s, const std::vector<std::size_t>& depends) {
        return (old.state == state_.stages[s] || *old.state == *state_.stages[s]) &&
               old.stage == boxes_.derivation->stages[s] &&
               old.needed == layout_.boxes.at(name(s)) &&
               old.grown == (padded_->grown(name(s)) != nullptr) && old.merged == merged(s) &&
               old.of_block == shared_by_block(state_, paths_, *state_.stages[s]) &&
               std::all_of(
                   old.begins_before.begin(), old.begins_before.end(),
                   [&](const auto& begin) { return begin_of(begin.first) == begin.second; }) &&
               std::equal(depends.begin(), depends.end(), old.depends.begin(), old.depends.end(),
                          [&](std::size_t d, const auto& record) { return records[d] == record; });
    }

    // Stages whose layouts a region at a loop follows from: where it is computed, and its readers;
    // by stage of the state.
    std::vector<std::size_t> dependences(std::size_t s) const {
        if (!at_loop(state_.stages[s]))
            return {};
        std::set<std::size_t> all = {host(s)};
        if (auto readers = boxes_.readers.find(name(s)); readers != boxes_.readers.end())
            all.insert(readers->second.begin(), readers->second.end());
        all.erase(s);
        return {all.begin(), all.end()};
    }

    // Puts those layouts, and those of the stages around them, where lay_out_stage() looks for
    // them.
    void show(const std::vector<std::size_t>& depends) {
        layout_.stages.clear();
        readers_->clear();
        layout_.region_variables.clear();
        for (auto d : depends)
            while (records[d] && layout_.stages.emplace(name(d), records[d]->layout).second) {
                readers_->add(name(d));
                layout_.region_variables.insert(records[d]->region_variables.begin(),
                                                records[d]->region_variables.end());
                if (!at_loop(state_.stages[d]))
                    break;
                d = host(d);
            }
    }

    Status lay_out(std::size_t s, const std::vector<std::size_t>& depends) {
        ++count;
        show(depends);
        auto record = std::make_shared<LayoutRecord>();
        record->state = state_.stages[s];
        record->stage = boxes_.derivation->stages[s];
        record->needed = layout_.boxes.at(name(s));
        record->grown = padded_->grown(name(s)) != nullptr;
        for (auto d : depends)
            record->depends.push_back(records[d]);
        record->merged = merged(s);
        record->of_block = shared_by_block(state_, paths_, *state_.stages[s]);
        record->begins_before = begins_around(s);
        auto reads = lay_out_stage(state_, *state_.stages[s], paths_, *readers_, layout_, *padded_);
        if (!reads)
            return reads.errors();
        record->reads = std::move(*reads);
        record->begins_after = begins_around(s);
        record->box = layout_.boxes.at(name(s));
        record->layout = std::move(layout_.stages.at(name(s)));
        auto keep_own = [&](const std::string& variable) {
            if (auto own = layout_.region_variables.find(variable);
                own != layout_.region_variables.end())
                record->region_variables.insert(*own);
        };
        for (const auto& min : record->layout.mins)
            for (const auto& [atom, factor] : min.terms())
                keep_own(atom->name);
        for (const auto& index : record->stage->variables)
            keep_own(base_variable(name(s), index));
        records[s] = std::move(record);
        return success();
    }

    const ScheduleState& state_;
    const InferredBoxes& boxes_;
    LoopPaths paths_;
    bool merges_;
    Layout layout_;
    std::optional<PaddedBoxes> padded_;
    std::optional<Readers> readers_; // of the stages shown
    // Indices of stages, filled where some stages are computed at loops or share them, or layouts
    // are asked for.
    std::map<std::string, std::size_t> index_;
};

bool is_of_padding(const Diagnostic& d) {
    return d.code == kCodePadding || d.code == kCodeStorageSize;
}

// What the state keeps from now on, to be added to.
std::shared_ptr<Inferred> keep(ScheduleState& state, LayoutUpdate& update) {
    auto now = std::make_shared<Inferred>(*state.inferred);
    now->layouts = std::move(update.records);
    now->layouts_found += update.count;
    state.inferred = now;
    return now;
}

} // namespace

std::shared_ptr<const InferredBoxes> inferred_boxes(ScheduleState& state) {
    auto before = state.inferred;
    auto derivation = derive_again(state, before ? before->boxes->derivation : nullptr);
    if (before && before->boxes->derivation == derivation)
        return before->boxes;
    auto now = std::make_shared<Inferred>();
    if (before)
        *now = *before;
    BoxUpdate update(derivation);
    auto boxes = std::make_shared<InferredBoxes>(
        update.run(before ? moved(before->boxes->records, *before->boxes->derivation, *derivation)
                          : std::vector<std::shared_ptr<const BoxRecord>>{}));
    now->boxes_found += update.count();
    if (before) {
        now->layouts = moved(before->layouts, *before->boxes->derivation, *derivation);
        now->ordered = moved(before->ordered, *before->boxes->derivation, *derivation);
        now->matched = moved(before->matched, *before->boxes->derivation, *derivation);
    }
    // Values may have other ranges in another program.
    for (std::size_t s = 0; s < now->layouts.size(); ++s)
        if (const auto& record = boxes->records[s]; !record || record->by_values)
            now->layouts[s] = nullptr;
    now->boxes = boxes;
    state.inferred = std::move(now);
    return boxes;
}

Result<Layout> inferred_layout(ScheduleState& state) {
    auto boxes = inferred_boxes(state);
    if (!boxes->errors.empty())
        return boxes->errors;
    LayoutUpdate update(state, *boxes);
    if (auto status = update.run(state.inferred->layouts); !status)
        return status.errors();
    auto layout = update.whole();
    keep(state, update);
    return layout;
}

Status check_padding(ScheduleState& state) {
    if (!pads(state))
        return success();
    auto boxes = inferred_boxes(state);
    if (!boxes->errors.empty())
        return success();
    LayoutUpdate update(state, *boxes);
    auto status = update.run(state.inferred->layouts);
    if (!status && std::any_of(status.errors().begin(), status.errors().end(), is_of_padding))
        return status;
    keep(state, update);
    return success();
}

Status check_layouts(ScheduleState& state, const std::set<std::string>& stages,
                     const std::function<Status(const Layout&)>& check) {
    auto boxes = inferred_boxes(state);
    if (!boxes->errors.empty())
        return boxes->errors;
    LayoutUpdate update(state, *boxes);
    if (auto status = update.run(state.inferred->layouts); !status)
        return status;
    if (auto status = check(update.layout_of(stages)); !status)
        return status;
    keep(state, update);
    return success();
}

Status
check_matched_layouts(ScheduleState& state, const std::set<std::string>& stages,
                      const std::function<Status(const Layout&, const std::string& stage)>& check) {
    auto boxes = inferred_boxes(state);
    if (!boxes->errors.empty())
        return boxes->errors;
    LayoutUpdate update(state, *boxes);
    if (auto status = update.run(state.inferred->layouts); !status)
        return status;
    const auto& known = state.inferred->matched;
    std::set<std::string> changed;
    for (std::size_t s = 0; s < update.records.size(); ++s)
        if (stages.count(state.stages[s]->name) &&
            (s >= known.size() || known[s] != update.records[s]))
            changed.insert(state.stages[s]->name);
    if (!changed.empty()) {
        const auto& layout = update.layout_of(changed);
        for (const auto& stage : changed)
            if (auto status = check(layout, stage); !status)
                return status;
    }
    auto now = keep(state, update);
    now->matched = now->layouts;
    return success();
}

Status check_merged_layouts(ScheduleState& state) {
    if (!any_merges(state))
        return success();
    auto boxes = inferred_boxes(state);
    if (!boxes->errors.empty())
        return boxes->errors;
    LayoutUpdate update(state, *boxes);
    if (auto status = update.run(state.inferred->layouts); !status)
        return status;
    const auto& known = state.inferred->ordered;
    const bool all = state.inferred->ordered_begins != update.begins();
    std::set<std::string> changed;
    for (std::size_t s = 0; s < update.records.size(); ++s)
        if (all || s >= known.size() || known[s] != update.records[s])
            changed.insert(state.stages[s]->name);
    const auto order =
        merged_order(state, [&](const std::string& stage) { return changed.count(stage) > 0; });
    if (auto status = check_merged_order(state, update.layout_of(order.stages), order); !status)
        return status;
    auto now = keep(state, update);
    now->ordered = now->layouts;
    now->ordered_begins = update.begins();
    return success();
}

} // namespace loopscope
