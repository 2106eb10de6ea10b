#include "core/schedule/own_memory.h"

#include "core/schedule/block_threads.h"
#include "core/schedule/levels.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/tensor_call.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopscope {

namespace {

// Levels that number the same threads.
std::string dimension(const std::string& level) { return level == "warp" ? "warp.x" : level; }

class OwnMemoryFinder {
public:
    OwnMemoryFinder(const ScheduleTree& tree, const device::Gpu& gpu) : tree_(tree), gpu_(gpu) {}

    std::vector<NotRunnable> run() {
        for (const auto& child : tree_.root->children)
            kernels(*child);
        return std::move(out_);
    }

private:
    using Path = std::vector<const TreeNode*>;

    void kernels(const TreeNode& node) {
        if (node.kind == TreeKind::Stage)
            for (const auto& child : node.children)
                kernels(*child);
        if (node.kind != TreeKind::Loop)
            return;
        threads_.clear();
        count(node);
        const bool warps = threads_.count("warp.x") > 0;
        if (threads_.count("warpgroup")) // of four warps
            threads_[warps ? "warp.x" : "thread.x"] = warps ? 4 : 4 * kWarp;
        Path path;
        walk(node, path);
    }

    // So many threads the block has along each level.
    void count(const TreeNode& node) {
        auto take = [&](const std::string& level, std::int64_t extent) {
            auto& greatest = threads_[dimension(level)];
            greatest = std::max(greatest, extent);
        };
        if (numbers_threads(node)) {
            take(node.binding, node.extent.hint());
            if (node.binding.starts_with("warp"))
                take("thread.x", kWarp);
        }
        if (node.tensor)
            take("thread.x", node.tensor->intrinsic->lanes);
        for (const auto& child : node.children)
            count(*child);
    }

    bool numbers_threads(const TreeNode& node) const {
        const auto* level = node.kind == TreeKind::Loop ? gpu_.level(node.binding) : nullptr;
        return level && !is_inside("block", level->unit) && level->unit != "virtual";
    }

    bool is_shared(const TreeNode& node) const {
        const auto* storage =
            node.kind == TreeKind::Stage ? tree_.find({node.id.stage, -1, "@storage"}) : nullptr;
        const auto* scope = storage ? gpu_.scope(storage->scope) : nullptr;
        return scope && scope->shared_by == "block";
    }

    void walk(const TreeNode& node, Path& path) {
        path.push_back(&node);
        if (node.kind == TreeKind::Compute)
            point(path);
        for (const auto& child : node.children)
            walk(*child, path);
        path.pop_back();
    }

    void point(const Path& path) {
        const auto work = std::find_if(path.rbegin(), path.rend(),
                                       [&](const TreeNode* node) { return is_shared(*node); });
        if (work == path.rend())
            return;
        const Path around(path.begin(), work.base() - 1), inside(work.base(), path.end());
        const auto& at = path.back()->compute;
        const auto& definition =
            tree_.derived->find(at.stage)->definitions[static_cast<std::size_t>(at.definition)];
        each_load(definition, [&](const Expr& load) { read(load.name, **work, around, inside); });
    }

    void read(const std::string& source, const TreeNode& work, const Path& around,
              const Path& inside) {
        const auto* storage = tree_.find({source, -1, "@storage"});
        const auto* scope = storage ? gpu_.scope(storage->scope) : nullptr;
        if (!storage || (scope && scope->shared_by != "thread"))
            return;
        const auto place = std::find_if(around.rbegin(), around.rend(), [&](const TreeNode* node) {
            return node->id == storage->compute_level;
        });
        std::set<std::string> numbered;
        // Loops of threads around work of the block number nobody in it.
        for (auto loop = place; loop != around.rend() && !is_shared(**loop); ++loop) {
            if (!numbers_threads(**loop) || !numbered.insert(dimension((*loop)->binding)).second)
                continue;
            const auto have = (*loop)->extent.hint(), need = readers(**loop, inside);
            if (need > have && refused_.insert({source, work.id.stage}).second)
                out_.push_back(
                    {work.id.stage + " is computed by the threads of a block, " +
                         std::to_string(need) + " along " + (*loop)->binding + ", and reads " +
                         source + ", which is memory of each thread's own inside of " +
                         (*loop)->id.text() + ": " + std::to_string(have) + " of them have it",
                     source + ".scope(shared), or compute it outside of " + (*loop)->id.text(),
                     {work.id, storage->id, (*loop)->id}});
        }
    }

    // Threads along the loop's level that take part in work of a block: those of its own loop there, else all.
    std::int64_t readers(const TreeNode& loop, const Path& inside) const {
        const auto level = dimension(loop.binding);
        for (const auto* own : inside)
            if (numbers_threads(*own) && dimension(own->binding) == level)
                return own->extent.hint();
        return threads_.at(level);
    }

    const ScheduleTree& tree_;
    const device::Gpu& gpu_;
    std::map<std::string, std::int64_t> threads_; // of the kernel at hand, by level
    std::set<std::pair<std::string, std::string>> refused_;
    std::vector<NotRunnable> out_;
};

} // namespace

std::vector<NotRunnable> memory_that_threads_lack(const ScheduleTree& tree,
                                                  const device::Gpu& gpu) {
    return OwnMemoryFinder(tree, gpu).run();
}

bool shared_by_block(const ScheduleTree& tree, const device::Gpu& gpu, const std::string& stage) {
    const auto* storage = tree.find({stage, -1, "@storage"});
    const auto* scope = storage ? gpu.scope(storage->scope) : nullptr;
    return scope && scope->shared_by == "block";
}

} // namespace loopscope
