#include "tests/fuzz/expert_lines.h"

#include "core/schedule/identity.h"
#include "core/schedule/reads.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

using ExpertLines = std::vector<std::string>;

// A definition with loops, as lines name it.
struct Work {
    const StageState* stage = nullptr;
    int definition = 0;
    std::string name;             // "S", "S.update(0)"
    ExpertLines free, reductions; // its loops, outermost first
    ExpertLines all;              // …, both
};

class Expert {
public:
    Expert(const ScheduleState& state, Random& random, int& fresh)
        : state_(state), random_(random), fresh_(fresh), graph_(read_graph(state)) {
        for (const auto& stage : state.stages) {
            if (stage->compute.kind == Placement::Kind::Inline)
                continue;
            for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
                Work w{stage.get(),
                       static_cast<int>(d),
                       definition_name(stage->name, static_cast<int>(d)),
                       {},
                       {},
                       {}};
                for (const auto& loop : stage->definitions[d].loops) {
                    (loop.reduction ? w.reductions : w.free).push_back(loop.name);
                    w.all.push_back(loop.name);
                }
                if (!w.all.empty())
                    works_.push_back(std::move(w));
            }
        }
    }

    ExpertLines lines() {
        if (works_.empty())
            return {};
        switch (random_.below(16)) {
        case 0:
        case 1: tiled(work()); break;
        case 2:
        case 3:
        case 4: slides(); break;
        case 5:
        case 6: chain(); break;
        case 7:
        case 8: copied(); break;
        case 9:
        case 10: random_.chance(80) ? together() : in_turn(); break;
        case 11: factored(); break;
        case 12: collided(); break;
        case 13: cached(); break;
        case 14: blocks(); break;
        default: layout(); break;
        }
        return std::move(lines_);
    }

private:
    void add(const std::string& line) { lines_.push_back(line); }
    const Work& work() { return random_.pick(works_); }
    std::string fresh() { return "e" + std::to_string(fresh_++); }
    std::string factor() { return std::to_string(random_.pick({2, 2, 3, 4, 4, 5, 8})); }
    std::string lanes() { return random_.pick({"2", "4", "4", "8", "native", "3"}); }
    std::string tail() { return random_.pick({"", "", "", ", shift", ", pad"}); }
    std::string factor_and_tail() {
        const auto end = tail();
        return factor() + end;
    }

    const Work* find(const DefinitionKey& key) const {
        for (const auto& w : works_)
            if (w.stage->name == key.first && w.definition == key.second)
                return &w;
        return nullptr;
    }

    // A reader of the stage, the last one mostly: loops around all readers are most often its.
    const Work* reader_of(const std::string& stage) {
        const auto& readers = graph_->readers(stage);
        if (readers.empty())
            return nullptr;
        return find(random_.chance(70) ? readers.back() : random_.pick(readers));
    }

    std::string source_of(const Work& w) {
        ExpertLines sources;
        for (const auto& source : graph_->reads(w.stage->name, w.definition))
            if (source != w.stage->name)
                sources.push_back(source);
        return sources.empty() ? "" : random_.pick(sources);
    }

    // Vectors along the last of the loops, or of a part of it.
    void vectorized(const std::string& name, const std::string& loop) {
        const auto end = tail();
        add(name + ".vectorize(" + loop + ", " + lanes() + end + ")");
    }

    // The outermost loop in two, if it is to be; the names of both, or the loop's own twice.
    std::pair<std::string, std::string> split_outer(const Work& w) {
        const auto& loops = w.free.empty() ? w.all : w.free;
        const auto& loop = random_.chance(75) ? loops.front() : random_.pick(loops);
        if (random_.chance(35))
            return {loop, loop};
        auto outer = fresh(), inner = fresh();
        add(w.name + ".split(" + loop + ", " + outer + ", " + inner + ", " + factor_and_tail() +
            ")");
        return {outer, inner};
    }

    void tiled(const Work& w) {
        if (w.free.size() < 2)
            return vectorized(w.name, w.all.back());
        const auto a = w.free[w.free.size() - 2], b = w.free.back();
        auto ao = fresh(), bo = fresh(), ai = fresh(), bi = fresh();
        const auto by = factor_and_tail();
        add(w.name + ".tile(" + a + ", " + b + ", " + ao + ", " + bo + ", " + ai + ", " + bi +
            ", " + factor() + ", " + by + ")");
        if (random_.chance(40)) {
            auto both = fresh();
            add(w.name + ".fuse(" + ao + ", " + bo + ", " + both + ")");
            ao = both;
        }
        add(w.name + ".parallel(" + ao + ")");
        if (random_.chance(50))
            add(w.name + ".vectorize(" + bi + ")");
        else
            vectorized(w.name, bi);
        if (random_.chance(50))
            add(w.name + ".unroll(" + ai + ")");
        if (!w.reductions.empty() && random_.chance(60))
            add(w.name + ".reorder(" + w.reductions.back() + ", " + ai + ", " + bi + ")");
    }

    void placed(const std::string& stage, const Work& host, const std::string& outer,
                const std::string& inner) {
        add(stage + ".compute_at(" + host.name + ", " + inner + ")");
        if (random_.chance(55))
            add(stage + (outer == inner || random_.chance(30)
                             ? ".store_root()"
                             : ".store_at(" + host.name + ", " + outer + ")"));
        else if (random_.chance(40)) {
            add(stage + ".pipeline(" + std::to_string(random_.between(2, 4)) + ")");
            if (random_.chance(40))
                add(stage + ".specialize(2)");
        }
    }

    void slides() {
        const auto& producer = work();
        const Work* host = reader_of(producer.stage->name);
        if (!host)
            return tiled(producer);
        const auto [outer, inner] = split_outer(*host);
        placed(producer.stage->name, *host, outer, inner);
        if (random_.chance(50))
            vectorized(producer.name, producer.all.back());
        if (random_.chance(40) && outer != inner)
            add(host->name + ".parallel(" + outer + ")");
        if (random_.chance(40))
            vectorized(host->name, host->all.back());
    }

    // All that comes before the last stage, inside its loops; each at its own place, or all at one.
    void chain() {
        const auto& last = works_.back();
        const auto [outer, inner] = split_outer(last);
        const bool one_place = random_.chance(60);
        for (auto stage = state_.stages.rbegin(); stage != state_.stages.rend(); ++stage) {
            const auto& name = (*stage)->name;
            if (name == last.stage->name || random_.chance(15))
                continue;
            if (random_.chance(15)) {
                add(name + ".inline()");
                continue;
            }
            const Work* host = one_place ? &last : reader_of(name);
            if (!host)
                continue;
            placed(name, *host, host == &last ? outer : host->all.front(),
                   host == &last ? inner : random_.pick(host->all));
            if (random_.chance(25))
                vectorized(name, (*stage)->definitions[0].loops.empty()
                                     ? "x"
                                     : (*stage)->definitions[0].loops.back().name);
        }
        if (random_.chance(50))
            vectorized(last.name, last.all.back());
    }

    void copied() {
        const auto& w = work();
        const auto source = source_of(w);
        if (source.empty())
            return tiled(w);
        auto copy = "copy" + std::to_string(fresh_++);
        const auto [outer, inner] = split_outer(w);
        add(copy + " = " + w.name + ".cache_read(" + source + ", " +
            random_.pick({"local", "shared", "global"}) + ")");
        add(copy + ".compute_at(" + w.name + ", " + (random_.chance(50) ? outer : inner) + ")");
        if (random_.chance(70))
            add(copy + ".pipeline(" + std::to_string(random_.between(2, 4)) + ")");
        else if (random_.chance(60))
            add(copy + ".store_root()");
        if (random_.chance(50) && state_.known(source))
            vectorized(copy, state_.declared(source).variables.back());
        if (random_.chance(30))
            add(copy + ".pad_storage(" + state_.declared(source).variables.back() + ", 1)");
        if (random_.chance(30))
            add(w.name + ".prefetch(" + source + ", " + outer + ", 1)");
    }

    // Two definitions in one nest: those of stages side by side, of a stage and its reader, or of
    // one stage.
    void together() {
        const auto& a = work();
        std::vector<const Work*> others;
        for (const auto& w : works_)
            if (w.name != a.name && w.stage->compute == a.stage->compute &&
                w.all.size() == a.all.size())
                others.push_back(&w);
        if (others.empty())
            return slides();
        std::vector<const Work*> nests{&a, random_.pick(others)};
        if (others.size() > 1 && random_.chance(25))
            nests.push_back(random_.pick(others));
        const auto& host = *nests[1];
        std::string at = host.all.front();
        if (random_.chance(60)) { // tiles of one size
            auto outer = fresh(), inner = fresh();
            const auto by = factor();
            for (const auto* w : nests)
                add(w->name + ".split(" + w->all.front() + ", " + outer + ", " + inner + ", " + by +
                    (random_.chance(70) ? "" : tail()) + ")");
            at = random_.chance(60) ? outer : inner;
            for (const auto* w : nests)
                if (at == outer && random_.chance(30)) {
                    const auto end = factor_and_tail(), second = fresh(), first = fresh();
                    add(w->name + ".split(" + inner + ", " + first + ", " + second + ", " + end +
                        ")");
                }
            if (random_.chance(25))
                for (const auto* w : nests)
                    add(w->name + ".parallel(" + at + ")");
        } else if (random_.chance(40)) {
            at = random_.pick(host.all);
        }
        for (const auto* w : nests)
            if (w != &host)
                add(w->name + ".compute_with(" + host.name + ", " + at + ")");
        const auto source = source_of(random_.chance(50) ? a : host);
        if (!source.empty() && random_.chance(30))
            add(source + ".compute_at(" + host.name + ", " + at + ")");
        for (const auto* w : nests)
            if (random_.chance(35))
                vectorized(w->name, w->all.back());
    }

    // Definitions of two stages, pair by pair: each pair is a nest, and the nests run one after the
    // other.
    void in_turn() {
        std::vector<std::pair<const StageState*, const StageState*>> pairs;
        for (const auto& host : state_.stages)
            for (const auto& other : state_.stages)
                if (host->name != other->name && host->compute == other->compute &&
                    host->compute.kind != Placement::Kind::Inline && host->definitions.size() > 1 &&
                    other->definitions.size() > 1)
                    pairs.emplace_back(host.get(), other.get());
        if (pairs.empty())
            return together();
        const auto [host, other] = random_.pick(pairs);
        const auto last = std::min(host->definitions.size(), other->definitions.size());
        for (std::size_t d = 0; d < last; ++d) {
            const auto& loops = host->definitions[d].loops;
            if (loops.empty() || random_.chance(10))
                continue;
            const auto number = static_cast<int>(d);
            add(definition_name(other->name, number) + ".compute_with(" +
                definition_name(host->name, number) + ", " +
                (random_.chance(60) ? loops.front() : random_.pick(loops)).name + ")");
        }
    }

    const Work* reducing() {
        std::vector<const Work*> all;
        for (const auto& w : works_)
            if (!w.reductions.empty())
                all.push_back(&w);
        return all.empty() ? nullptr : random_.pick(all);
    }

    void factored() {
        const Work* w = reducing();
        if (!w)
            return slides();
        auto factor_name = "factor" + std::to_string(fresh_++);
        auto k = w->reductions.back();
        if (random_.chance(70)) {
            auto outer = fresh(), inner = fresh();
            add(w->name + ".split(" + k + ", " + outer + ", " + inner + ", " + factor() + ")");
            k = random_.chance(70) ? inner : outer;
        }
        add(factor_name + " = " + w->name + ".rfactor(" + k + ")");
        const auto work_of_it = w->definition > 0 ? factor_name + ".update(0)" : factor_name;
        if (random_.chance(70))
            add(work_of_it + (random_.chance(70) ? ".vectorize(" : ".parallel(") + k + ")");
        if (random_.chance(50) && !w->free.empty())
            add(factor_name + ".compute_at(" + w->name + ", " + w->free.front() + ")");
        if (random_.chance(40))
            add(w->name + ".vectorize(" + k + ")");
    }

    void collided() {
        const Work* w = reducing();
        if (!w)
            return tiled(work());
        add(w->name + ".atomic()");
        const auto& loop = random_.pick(w->reductions);
        add(w->name + (random_.chance(70) ? ".parallel(" : ".vectorize(") + loop + ")");
        if (!w->free.empty() && random_.chance(40))
            vectorized(w->name, w->free.back());
    }

    void cached() {
        const auto& w = work();
        auto cache = "cache" + std::to_string(fresh_++);
        add(cache + " = " + w.stage->name + ".cache_write(local)");
        const auto& variables = state_.declared(w.stage->name).variables;
        auto outer = fresh(), inner = fresh();
        add(w.stage->name + ".split(" + variables.back() + ", " + outer + ", " + inner + ", " +
            factor_and_tail() + ")");
        add(cache + ".compute_at(" + w.stage->name + ", " +
            (random_.chance(60) ? outer : variables.front()) + ")");
        if (!w.free.empty())
            vectorized(definition_name(cache, w.definition), w.free.back());
        if (random_.chance(50))
            add(w.stage->name + ".vectorize(" + inner + ")");
        if (random_.chance(30))
            add(w.stage->name + ".non_temporal()");
    }

    void blocks() {
        const auto& w = work();
        if (w.free.size() < 2)
            return copied();
        auto yo = fresh(), xo = fresh(), yi = fresh(), xi = fresh();
        const auto by_x = factor();
        add(w.name + ".gpu_tile(" + w.free[0] + ", " + w.free[1] + ", " + yo + ", " + xo + ", " +
            yi + ", " + xi + ", " + factor() + ", " + by_x + ")");
        if (const auto source = source_of(w); !source.empty()) {
            auto copy = "copy" + std::to_string(fresh_++);
            add(copy + " = " + w.name + ".cache_read(" + source + ", shared)");
            add(copy + ".compute_at(" + w.name + ", " +
                (w.reductions.empty() ? xo : w.reductions.front()) + ")");
            add(copy + ".pipeline(2)");
            add(copy + ".specialize(2)");
            add(copy + ".swizzle()");
        }
        add(w.name + ".persistent(" + yo + ")");
    }

    void layout() {
        const auto& w = work();
        const auto& name = w.stage->name;
        auto variables = state_.declared(name).variables;
        std::reverse(variables.begin(), variables.end());
        std::string order;
        for (const auto& v : variables)
            order += (order.empty() ? "" : ", ") + v;
        add(name + ".reorder_storage(" + order + ")");
        const auto more = factor();
        add(name + ".pad_storage(" + random_.pick(variables) + ", " + more + ")");
        if (random_.chance(50))
            add(name + ".scope(" + random_.pick({"local", "shared", "register"}) + ")");
        if (const Work* reader = reader_of(name)) {
            if (random_.chance(50))
                add(reader->name + ".prefetch(" + name + ", " + random_.pick(reader->all) + ", 2)");
            vectorized(reader->name, reader->all.back());
            if (random_.chance(50))
                placed(name, *reader, reader->all.front(), random_.pick(reader->all));
        }
        vectorized(w.name, w.all.back());
    }

    const ScheduleState& state_;
    Random& random_;
    int& fresh_;
    std::shared_ptr<const ReadGraph> graph_;
    std::vector<Work> works_;
    ExpertLines lines_;
};

} // namespace

std::vector<std::string> expert_lines(const ScheduleState& state, Random& random, int& fresh) {
    return Expert(state, random, fresh).lines();
}

} // namespace loopscope::fuzz
