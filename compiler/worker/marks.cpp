#include "compiler/worker/marks.h"

#include "core/ir/definition_expressions.h"
#include "core/schedule/combining.h"

namespace loopscope::worker {

namespace {

bool calls(const Definition& definition) {
    bool found = false;
    each_expression(definition, [&](const ExprPtr& e) {
        found = found || any_node(e, [](const Expr& x) { return x.kind == ExprKind::Call; });
    });
    return found;
}

class Collector {
public:
    explicit Collector(const ScheduleTree& tree) : tree_(tree) {
        for (const auto& stage : tree.stages)
            if (!stage.cache_of.empty())
                written_out_.insert(stage.cache_of);
        for (const auto& stage : tree.stages)
            if (is_factor(stage))
                for (const auto& origin : origins(stage, 0))
                    factored_.insert(origin);
    }

    Marks collect() {
        Marks marks;
        for (const auto& stage : tree_.stages) {
            for (std::size_t d = 0; d < stage.stage.definitions.size(); ++d)
                for (const auto& origin : origins(stage, static_cast<int>(d)))
                    take(marks, stage, d, origin);
            // A copy has the calls of what was inlined into it.
            if (!stage.copy_of.empty() && is_set(stage.approximated, 0))
                approximate_inlined(marks, source_of(stage));
        }
        return marks;
    }

private:
    using Place = std::pair<std::string, int>;

    bool is_factor(const DerivedStage& stage) const {
        return stage.cache_of.empty() ? !stage.factor_of.empty()
                                      : is_factor(*tree_.find_stage(stage.cache_of));
    }

    static bool is_set(const std::vector<bool>& list, std::size_t index) {
        return index < list.size() && list[index];
    }

    void take(Marks& marks, const DerivedStage& stage, std::size_t d, const Place& origin) {
        bool divided = factored_.count(origin) && !is_factor(stage);
        if (is_set(stage.contracted, d) && !divided)
            marks.contracted.insert(origin);
        const auto& whole = *tree_.pipeline->find(origin.first);
        if (is_set(stage.reassociates, d) &&
            rounds(whole.definitions[static_cast<std::size_t>(origin.second)]))
            marks.reassociated.insert(origin);
        if (is_set(stage.approximated, d))
            approximate(marks, origin);
    }

    // The definitions of the pipeline that this one of the derived program stands for.
    std::set<Place> origins(const DerivedStage& at, int definition) const {
        // it only writes what its cache computed
        if (written_out_.count(at.stage.name))
            return {};
        const auto* stage = &at;
        while (!stage->cache_of.empty())
            stage = tree_.find_stage(stage->cache_of);
        if (stage->factor_of.empty())
            return tree_.pipeline->find(stage->stage.name)
                       ? std::set<Place>{{stage->stage.name, definition}}
                       : std::set<Place>();
        const auto* whole = tree_.find_stage(stage->factor_of);
        std::set<Place> all;
        if (!whole)
            return all;
        for (std::size_t d = 0; d < whole->stage.definitions.size(); ++d)
            if (reads(whole->stage.definitions[d], stage->stage.name) ||
                reads_copy(whole->stage.definitions[d], stage->stage.name))
                all.merge(origins(*whole, static_cast<int>(d)));
        return all;
    }

    bool reads_copy(const Definition& definition, const std::string& source) const {
        for (const auto& stage : tree_.stages)
            if (stage.copy_of == source &&
                (reads(definition, stage.stage.name) || reads_copy(definition, stage.stage.name)))
                return true;
        return false;
    }

    void approximate(Marks& marks, const Place& place) {
        const auto* stage = tree_.pipeline->find(place.first);
        const auto& definition = stage->definitions[static_cast<std::size_t>(place.second)];
        if (calls(definition))
            marks.approximated.insert(place);
        for (const auto& other : tree_.stages)
            if (reads(definition, other.stage.name))
                approximate_inlined(marks, other.stage.name);
    }

    void approximate_inlined(Marks& marks, const std::string& name) {
        const auto* stage = tree_.find_stage(name);
        if (stage && stage->inlined && tree_.pipeline->find(name))
            approximate(marks, {name, 0});
    }

    std::string source_of(const DerivedStage& copy) const {
        const auto* stage = &copy;
        while (!stage->copy_of.empty() && tree_.find_stage(stage->copy_of))
            stage = tree_.find_stage(stage->copy_of);
        return stage->copy_of.empty() ? stage->stage.name : stage->copy_of;
    }

    const ScheduleTree& tree_;
    std::set<Place> factored_;
    std::set<std::string> written_out_; // stages that have a cache
};

} // namespace

Marks marks_of(const ScheduleTree& tree) { return Collector(tree).collect(); }

} // namespace loopscope::worker
