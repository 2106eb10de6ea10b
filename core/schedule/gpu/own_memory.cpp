#include "core/schedule/gpu/own_memory.h"

#include "core/schedule/region_needs.h"

#include <algorithm>
#include <set>
#include <utility>

namespace loopscope {

namespace {

class OwnMemoryFinder {
public:
    OwnMemoryFinder(const ScheduleTree& tree, const Mapping& mapping)
        : tree_(tree), mapping_(mapping) {}

    std::vector<NotRunnable> run() {
        for (const auto& launch : mapping_.launches) {
            threads_ = launch.threads;
            Path path;
            for (const auto* node : launch.nodes)
                walk(*node, path);
        }
        return std::move(out_);
    }

private:
    using Path = std::vector<const TreeNode*>;

    bool is_shared(const TreeNode& node) const {
        return node.kind == TreeKind::Stage && mapping_.of(node.id.stage).of_block;
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
        if (!storage || mapping_.of(source).scope.shared_by != device::Unit::Thread)
            return;
        const auto place = std::find_if(around.rbegin(), around.rend(), [&](const TreeNode* node) {
            return node->id == storage->compute_level;
        });
        std::set<int> numbered; // axes of the block
        // Loops of threads around work of the block number nobody in it.
        for (auto loop = place; loop != around.rend() && !is_shared(**loop); ++loop) {
            if (!(*loop)->numbers.of_threads() ||
                !numbered.insert(block_axis((*loop)->numbers)).second)
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

    // Threads along the loop's axis that take part in work of a block: those of its own loop there,
    // else all.
    std::int64_t readers(const TreeNode& loop, const Path& inside) const {
        const auto axis = block_axis(loop.numbers);
        for (const auto* own : inside)
            if (own->numbers.of_threads() && block_axis(own->numbers) == axis)
                return own->extent.hint();
        return threads_[static_cast<std::size_t>(axis)];
    }

    const ScheduleTree& tree_;
    const Mapping& mapping_;
    BlockThreads threads_{}; // of the kernel at hand
    std::set<std::pair<std::string, std::string>> refused_;
    std::vector<NotRunnable> out_;
};

} // namespace

std::vector<NotRunnable> memory_that_threads_lack(const ScheduleTree& tree,
                                                  const Mapping& mapping) {
    return OwnMemoryFinder(tree, mapping).run();
}

} // namespace loopscope
