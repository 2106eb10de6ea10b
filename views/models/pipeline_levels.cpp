#include "views/models/pipeline_levels.h"

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/storage.h"
#include "views/models/memory_forms.h"
#include "views/models/node_text.h"
#include "views/style/number_format.h"

#include <QObject>

#include <algorithm>
#include <functional>

namespace loopscope::views {

namespace {

// A copy in memory of a block, warp or thread that one loop after another fills.
struct Loaded {
    const TreeNode* stage = nullptr;
    const TreeNode* loop = nullptr;
    const TreeNode* kernel = nullptr; // the stage at root
    std::int64_t repeats = 1;         // iterations of loops around `loop` that a thread runs itself
    std::size_t depth = 0;
};

bool is_shared(const device::MemoryScope& scope) { return scope.shared_by == device::Unit::Block; }

class Finder {
public:
    explicit Finder(const ScheduleTree& tree) : tree_(tree), mapping_(map_to_gpu(tree)) {}

    std::vector<Loaded> run() {
        for (const auto& child : tree_.root->children)
            if (child->kind == TreeKind::Stage)
                walk(*child, *child);
        return std::move(found_);
    }

private:
    void walk(const TreeNode& node, const TreeNode& kernel) {
        path_.push_back(&node);
        for (const auto& child : node.children) {
            if (child->kind == TreeKind::Stage)
                take(*child, kernel);
            walk(*child, kernel);
        }
        path_.pop_back();
    }

    void take(const TreeNode& stage, const TreeNode& kernel) {
        const TreeNode* loop = path_.back();
        const auto* storage = tree_.find({stage.id.stage, -1, "@storage"});
        if (!runs_in_turn(*loop) || !storage || !is_loaded(stage))
            return;
        std::int64_t repeats = 1;
        for (const TreeNode* around : path_)
            if (around != loop && around->kind == TreeKind::Loop && !around->numbers.any())
                repeats *= std::max<std::int64_t>(1, iterations(*around));
        found_.push_back({&stage, loop, &kernel, repeats, path_.size()});
    }

    bool runs_in_turn(const TreeNode& loop) const {
        return loop.kind == TreeKind::Loop && mapping_.of(loop).role == LoopRole::Serial &&
               iterations(loop) > 1;
    }

    // Copies in registers that no loop loads are accumulators and the like.
    bool is_loaded(const TreeNode& stage) const {
        const auto memory = mapping_.of(stage.id.stage).memory;
        const auto* derived = tree_.find_stage(stage.id.stage);
        return memory == device::Unit::Block ||
               (memory != device::Unit::Grid && derived && !derived->copy_of.empty());
    }

    const ScheduleTree& tree_;
    const Mapping mapping_;
    std::vector<const TreeNode*> path_;
    std::vector<Loaded> found_;
};

const model::KernelEstimate* kernel_of(const model::Estimate* estimate, const NodeId& stage) {
    if (estimate)
        for (const auto& kernel : estimate->kernels)
            if (kernel.gpu && kernel.node.stage == stage.stage)
                return &kernel;
    return nullptr;
}

bool inside(const ScheduleTree& tree, const NodeId& node, const NodeId& of) {
    const auto path = tree.path(node);
    return std::any_of(path.begin(), path.end(), [&](const auto* each) { return each->id == of; });
}

// What a figure of a whole launch is for one iteration of a loop in one wave of blocks.
struct Share {
    double iterations = 1, waves = 1;
    double of(double seconds) const { return seconds / (iterations * waves); }
    QString formula(const QString& term, double seconds) const {
        return QObject::tr("%1 / (%2 iterations × %3 waves) = %4 / %5")
            .arg(term, format_count(iterations), format_count(waves), format_seconds(seconds),
                 format_count(iterations * waves));
    }
};

double level_seconds(const model::KernelEstimate& kernel, const std::string& level) {
    for (const auto& traffic : kernel.traffic)
        if (traffic.level == level)
            return traffic.seconds;
    return 0;
}

// The term that is greatest of some, and its name.
std::pair<double, std::string> greatest(const model::KernelEstimate& kernel,
                                        const std::function<bool(const std::string&)>& takes_part) {
    std::pair<double, std::string> most{0, ""};
    for (const auto& term : kernel.terms)
        if (term.unit == "s" && takes_part(term.name) && term.value > most.first)
            most = {term.value, term.name};
    return most;
}

// What a level takes to load, and what stands behind the last one.
class Timer {
public:
    Timer(PipelineChain& chain, const model::KernelEstimate& kernel, const device::Gpu& gpu,
          const std::vector<std::int64_t>& totals)
        : chain_(chain), kernel_(kernel), gpu_(gpu), totals_(totals) {}

    // `written`: bytes of the kernel's results.
    void run(double written) {
        for (std::size_t l = 0; l < chain_.levels.size(); ++l)
            load(l);
        work();
        // ALCOP, Table I: the tiles that the blocks of a wave write, at the bandwidth of DRAM.
        if (gpu_.dram_bytes_per_second)
            chain_.store_seconds = written / gpu_.dram_bytes_per_second->value / waves();
        chain_.timed = true;
    }

private:
    double waves() const {
        return static_cast<double>(std::max<std::int64_t>(1, kernel_.gpu->waves));
    }
    Share share(std::size_t level) const { return {static_cast<double>(totals_[level]), waves()}; }
    double clocks(const std::optional<device::Figure>& latency) const {
        const auto& clock = gpu_.boost_clock_hertz ? gpu_.boost_clock_hertz : gpu_.base_clock_hertz;
        return latency && clock ? latency->value / clock->value : 0;
    }

    void load(std::size_t l) {
        PipelineLevel& level = chain_.levels[l];
        const bool shared = !is_shared(level.scope) && l > 0;
        const double dram = level_seconds(kernel_, "DRAM"), l2 = level_seconds(kernel_, "L2");
        const bool far = dram > l2;
        const double whole =
            shared ? level_seconds(kernel_, model::kSharedLevel) : std::max(dram, l2);
        level.times.transfer = share(l).of(whole);
        level.times.latency = clocks(shared ? gpu_.shared_latency_clocks
                                     : far  ? gpu_.dram_latency_clocks
                                            : gpu_.l2_latency_clocks);
        level.transfer_formula = share(l).formula(shared ? QStringLiteral("T_shared")
                                                  : far  ? QStringLiteral("T_DRAM")
                                                         : QStringLiteral("T_L2"),
                                                  whole);
        if (level.times.latency > 0)
            level.transfer_formula +=
                QObject::tr("; then %1 until it arrives").arg(format_seconds(level.times.latency));
        if (level.producers > 0)
            level.transfer_formula +=
                QObject::tr("; loaded beside the work, by producer warpgroups");
    }

    void work() {
        const bool registers = chain_.levels.size() > 1 && !is_shared(chain_.levels.back().scope);
        const auto most = greatest(kernel_, [&](const std::string& name) {
            return name == "T_issue" || name == "T_f32" || name == "T_f64" || name == "T_i32" ||
                   name.ends_with(" tensor") || (name == "T_shared" && !registers);
        });
        const auto last = share(chain_.levels.size() - 1);
        chain_.work_seconds = last.of(most.first);
        chain_.work_formula = last.formula(to_qstring(most.second), most.first);
        chain_.work_name = most.second == "T_issue"           ? QObject::tr("instructions")
                           : most.second == "T_shared"        ? QObject::tr("shared → units")
                           : most.second.ends_with(" tensor") ? QObject::tr("tensor cores")
                                                              : QObject::tr("arithmetic");
    }

    PipelineChain& chain_;
    const model::KernelEstimate& kernel_;
    const device::Gpu& gpu_;
    const std::vector<std::int64_t>& totals_;
};

// One level with all that is loaded at the same loop into the same memory.
struct LevelGroup {
    PipelineLevel level;
    std::int64_t total = 1; // iterations of its loop that a block runs
    const TreeNode* kernel = nullptr;
    std::size_t depth = 0;
};

std::vector<LevelGroup> groups_of(const ScheduleTree& tree) {
    std::vector<LevelGroup> groups;
    for (const Loaded& loaded : Finder(tree).run()) {
        const auto* storage = tree.find({loaded.stage->id.stage, -1, "@storage"});
        auto known = std::find_if(groups.begin(), groups.end(), [&](const LevelGroup& g) {
            return g.level.loop == loaded.loop->id && g.level.scope == storage->scope;
        });
        if (known == groups.end()) {
            LevelGroup fresh;
            fresh.level.loop = loaded.loop->id;
            fresh.level.scope = storage->scope;
            fresh.total = loaded.repeats * iterations(*loaded.loop);
            fresh.kernel = loaded.kernel;
            fresh.depth = loaded.depth;
            known = groups.insert(groups.end(), std::move(fresh));
        }
        auto& level = known->level;
        level.stages.push_back(loaded.stage->id.stage);
        level.copies = std::max(level.copies, static_cast<int>(storage->rotation));
        level.producers = std::max(level.producers, storage->producers);
        level.copy_bytes += storage_bytes(*storage) / static_cast<double>(storage->rotation);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const LevelGroup& a, const LevelGroup& b) {
        return a.depth != b.depth ? a.depth < b.depth
                                  : is_shared(a.level.scope) && !is_shared(b.level.scope);
    });
    return groups;
}

// Where a level has stood last, those that are inside of it go on.
std::vector<std::vector<const LevelGroup*>> chained(const ScheduleTree& tree,
                                                    const std::vector<LevelGroup>& groups) {
    std::vector<std::vector<const LevelGroup*>> chains;
    for (const LevelGroup& group : groups) {
        const auto outer = std::find_if(chains.begin(), chains.end(), [&](const auto& chain) {
            return inside(tree, group.level.loop, chain.back()->level.loop);
        });
        if (outer == chains.end())
            chains.push_back({&group});
        else
            outer->push_back(&group);
    }
    return chains;
}

PipelineChain chain_from(const std::vector<const LevelGroup*>& groups,
                         const model::Estimate* estimate, const device::Gpu& gpu) {
    PipelineChain chain;
    chain.node = groups.front()->level.loop;
    chain.shared_limit = gpu.limits.shared_bytes_per_block;
    std::vector<std::int64_t> totals;
    for (const LevelGroup* group : groups) {
        chain.levels.push_back(group->level);
        auto& level = chain.levels.back();
        level.times.stages = level.copies;
        level.times.iterations = totals.empty() ? group->total : group->total / totals.back();
        level.name = totals.empty() ? QObject::tr("global → %1").arg(to_qstring(level.scope.name))
                                    : QObject::tr("%1 → %2").arg(
                                          to_qstring(groups[totals.size() - 1]->level.scope.name),
                                          to_qstring(level.scope.name));
        totals.push_back(group->total);
    }
    chain.work_name = QObject::tr("work");
    chain.work_seconds = 1;
    const auto* kernel = kernel_of(estimate, groups.front()->kernel->id);
    if (!kernel) {
        chain.reason = QObject::tr("There is no estimate yet.");
        return chain;
    }
    chain.shared_bytes = kernel->gpu->shared_bytes;
    if (const auto& occupancy = kernel->gpu->occupancy) {
        chain.blocks_at_once = occupancy->blocks;
        for (const auto& limit : occupancy->limits)
            if (limit.reached)
                chain.limited_by += (chain.limited_by.isEmpty() ? QString() : QObject::tr(", ")) +
                                    to_qstring(limit.name);
    }
    if (!estimate->seconds) {
        chain.reason = to_qstring(estimate->reason);
        return chain;
    }
    const auto& written = *groups.front()->kernel;
    Timer(chain, *kernel, gpu, totals).run(region_bytes(written.region, written.types));
    return chain;
}

// The line of a stage's own that says how deep its pipeline is; 0: none.
int line_of_stages(const Schedule* schedule, const std::string& stage) {
    int line = 0;
    if (schedule)
        for (const auto& d : schedule->directives)
            if (std::string(d->verb()) == "pipeline" && d->receiver.stage == stage)
                line = line_of(*d);
    return line;
}

} // namespace

TimelineSpec PipelineChain::spec() const {
    TimelineSpec out;
    for (const PipelineLevel& level : levels)
        out.levels.push_back(level.times);
    out.work = work_seconds;
    out.store = store_seconds;
    return out;
}

std::vector<PipelineChain> pipeline_chains(const ScheduleTree& tree,
                                           const model::Estimate* estimate,
                                           const device::Device& device) {
    std::vector<PipelineChain> out;
    if (!device.gpu)
        return out;
    const auto groups = groups_of(tree);
    for (const auto& chain : chained(tree, groups))
        out.push_back(chain_from(chain, estimate, *device.gpu));
    return out;
}

int chain_of(const std::vector<PipelineChain>& chains, const ScheduleTree& tree, const NodeId& id) {
    if (chains.empty())
        return -1;
    for (std::size_t c = 0; c < chains.size(); ++c)
        for (const PipelineLevel& level : chains[c].levels)
            if (inside(tree, id, level.loop) ||
                std::find(level.stages.begin(), level.stages.end(), id.stage) != level.stages.end())
                return static_cast<int>(c);
    return 0;
}

std::vector<DirectiveEdit> stages_edits(const PipelineLevel& level, int copies,
                                        const ScheduleTree& tree, const Schedule* schedule) {
    std::vector<DirectiveEdit> out;
    for (const std::string& stage : level.stages) {
        const auto* state = tree.state.find(stage);
        if (!state || state->pipeline == copies)
            continue;
        const int line = line_of_stages(schedule, stage);
        if (copies == 1 && line > 0)
            out.push_back({QString(), line});
        else
            out.push_back({to_qstring(stage) + QStringLiteral(".pipeline(%1)").arg(copies), line});
    }
    return out;
}

} // namespace loopscope::views
