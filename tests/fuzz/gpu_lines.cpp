#include "tests/fuzz/gpu_lines.h"

#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/schedule/identity.h"
#include "core/schedule/reads.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/schedule_generator.h"
#include "tests/fuzz/script_lines.h"
#include "tests/fuzz/tensor_lines.h"
#include "tests/fuzz/tensor_programs.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

class GpuScript {
public:
    GpuScript(ScriptLines& script, Random& random) : script_(script), random_(random) {}

    void run() {
        std::vector<std::string> names;
        for (const auto& stage : script_.state().stages)
            names.push_back(stage->name);
        // Readers first: producers find a place in their loops.
        for (auto name = names.rbegin(); name != names.rend(); ++name)
            stage(*name);
        for (int i = random_.below(3); i > 0; --i)
            add(random_line(script_.state(), random_, fresh_));
    }

private:
    bool add(const std::string& line) { return script_.add(line); }
    std::vector<std::string> loops(const std::string& stage, int definition, bool reduction) const {
        return script_.loops(stage, definition, reduction);
    }

    std::string fresh() { return "g" + std::to_string(fresh_++); }
    std::string factor() { return std::to_string(random_.pick({2, 3, 4, 4, 8, 8, 16, 5})); }

    void stage(const std::string& name) {
        const auto definitions = script_.state().find(name)->definitions.size();
        const bool output = script_.state().pipeline->find_output(name) != nullptr;
        if (!output && random_.chance(15) && add(name + ".inline()"))
            return;
        if (!output && random_.chance(60) && placed(name))
            return;
        if (definitions == 1 && !loops(name, 0, true).empty() && random_.chance(15)) {
            by_lanes(name);
            return;
        }
        if (definitions == 1 && !loops(name, 0, true).empty() && random_.chance(60)) {
            accumulated(name);
            return;
        }
        for (std::size_t d = 0; d < definitions; ++d) {
            const auto definition = definition_name(name, static_cast<int>(d));
            if (d > 0 && random_.chance(50))
                collided(definition, name, static_cast<int>(d));
            else if (random_.chance(85))
                tiled(definition, name, static_cast<int>(d));
        }
    }

    // Blocks over points, and threads over what is summed up, whose results become one.
    void by_lanes(const std::string& name) {
        const auto free = loops(name, 0, false), over = loops(name, 0, true);
        if (!free.empty())
            add(name + ".bind(" + free.front() + ", block.x)");
        const auto outer = fresh(), inner = fresh();
        const auto lanes = std::to_string(random_.pick({2, 4, 4, 8, 8, 16, 32, 3}));
        auto loop = over.back();
        if (add(name + ".split(" + loop + ", " + outer + ", " + inner + ", " + lanes + ")"))
            loop = inner;
        add(name + ".bind(" + loop + ", thread.x)");
    }

    // Terms that meet in elements, by threads of their own.
    void collided(const std::string& name, const std::string& stage, int definition) {
        add(name + ".atomic()");
        const auto free = loops(stage, definition, false), over = loops(stage, definition, true);
        const auto loop = free.empty() ? over.front() : free.front();
        const auto blocks = fresh(), threads = fresh();
        if (!add(name + ".split(" + loop + ", " + blocks + ", " + threads + ", " + factor() + ")"))
            return;
        add(name + ".reorder(" + blocks + ", " + threads + ")");
        if (random_.chance(70))
            add(name + ".bind(" + blocks + ", block.x)");
        add(name + ".bind(" + threads + ", thread.x)");
    }

    // Computed at some loop of a reader, in some memory.
    bool placed(const std::string& name) {
        const auto graph = read_graph(script_.state());
        std::vector<std::string> lines;
        for (const auto& reader : script_.state().stages)
            for (std::size_t d = 0; d < reader->definitions.size(); ++d)
                if (graph->reads(reader->name, static_cast<int>(d)).count(name))
                    for (const auto& loop : reader->definitions[d].loops)
                        lines.push_back(name + ".compute_at(" +
                                        definition_name(reader->name, static_cast<int>(d)) + ", " +
                                        loop.name + ")");
        if (lines.empty() || !add(random_.pick(lines)))
            return false;
        const auto* scope = random_.pick({"", "", "", "", "shared", "shared", "local", "register"});
        if (*scope)
            add(name + ".scope(" + scope + ")");
        // Threads hold parts of private storage: none would have the whole.
        if (random_.chance(*scope && std::string(scope) != "shared" ? 3 : 30))
            bound_to_threads(name);
        if (random_.chance(25))
            across_threads(name);
        if (random_.chance(20))
            vectorized(name);
        return true;
    }

    void bound_to_threads(const std::string& name) {
        const auto free = loops(name, 0, false);
        if (!free.empty())
            add(name + ".bind(" + random_.pick(free) + ", " +
                random_.pick({"thread.x", "thread.x", "thread.y"}) + ")");
    }

    void across_threads(const std::string& name) {
        const auto axes = loops(name, 0, true);
        if (axes.empty())
            return;
        auto loop = random_.pick(axes);
        if (random_.chance(60)) {
            const auto outer = fresh(), inner = fresh();
            if (add(name + ".split(" + loop + ", " + outer + ", " + inner + ", " + factor() + ")"))
                loop = inner;
        }
        add(name + ".bind(" + loop + ", " + random_.pick({"thread.x", "thread.x", "thread.y"}) +
            ")");
    }

    void vectorized(const std::string& name) {
        const auto free = loops(name, 0, false);
        if (!free.empty())
            add(name + ".vectorize(" + free.back() + ", " + random_.pick({"2", "4", "8"}) + ")");
    }

    // Blocks and threads over one or two loops, perhaps virtual threads and a register tile
    // between. Gives the innermost loop that is bound to threads.
    std::string tiled(const std::string& name, const std::string& stage, int definition) {
        auto free = loops(stage, definition, false);
        std::vector<std::string> outer, middle, inner, rest;
        const char* axes[] = {"x", "y", "z"};
        const auto count = std::min<std::size_t>(
            free.size(), static_cast<std::size_t>(random_.pick({1, 2, 2, 2, 3})));
        std::string threads;
        for (std::size_t i = 0; i < count; ++i) {
            const auto loop = free[free.size() - 1 - i];
            const auto axis = std::string(".") + axes[i];
            const auto blocks = fresh(), inside = fresh();
            const auto tail = random_.pick({"", "", "", ", shift", ", pad"});
            if (!add(name + ".split(" + loop + ", " + blocks + ", " + inside + ", " + factor() +
                     tail + ")"))
                continue;
            outer.insert(outer.begin(), blocks);
            auto thread = inside;
            if (random_.chance(40)) {
                const auto part = fresh(), within = fresh();
                if (add(name + ".split(" + inside + ", " + part + ", " + within + ", " +
                        random_.pick({"2", "2", "4"}) + ")")) {
                    if (random_.chance(35)) { // a virtual thread outside
                        middle.insert(middle.begin(), part);
                        thread = within;
                    } else { // a register tile inside
                        thread = part;
                        rest.insert(rest.begin(), within);
                    }
                }
            }
            inner.insert(inner.begin(), thread);
            axes_[blocks] = "block" + axis;
            axes_[thread] = "thread" + axis;
        }
        if (outer.empty())
            return {};
        // All blocks begin at once: other loops stand inside of them, around threads or in one.
        std::vector<std::string> others;
        for (const auto& loop : loops(stage, definition, false))
            if (!axes_.count(loop) &&
                std::find(middle.begin(), middle.end(), loop) == middle.end() &&
                std::find(rest.begin(), rest.end(), loop) == rest.end())
                others.push_back(loop);
        auto& among = random_.chance(50) ? outer : rest;
        among.insert(&among == &outer ? among.end() : among.begin(), others.begin(), others.end());
        std::string order;
        for (const auto* group : {&outer, &middle, &inner, &rest})
            for (const auto& loop : *group)
                order += ", " + loop;
        add(name + ".reorder(" + order.substr(2) + ")");
        for (const auto& loop : outer)
            if (!axes_.count(loop) || random_.chance(7) ||
                !add(name + ".bind(" + loop + ", " + axes_[loop] + ")"))
                break;
        for (const auto& loop : middle)
            add(name + ".bind(" + loop + ", vthread)");
        for (const auto& loop : inner)
            if (random_.chance(90) && add(name + ".bind(" + loop + ", " + axes_[loop] + ")"))
                threads = loop;
        for (const auto& loop : rest)
            if (random_.chance(50))
                add(name + (random_.chance(50) ? ".unroll(" : ".vectorize(") + loop + ")");
        return threads;
    }

    // Accumulated in a thread's memory, over copies of what it reads.
    void accumulated(const std::string& name) {
        const auto made = name + "_acc";
        if (!add(made + " = " + name + ".cache_write(" + random_.pick({"register", "local"}) +
                 ")")) {
            tiled(name, name, 0);
            return;
        }
        const auto thread = tiled(name, name, 0);
        if (thread.empty() || !add(made + ".compute_at(" + name + ", " + thread + ")"))
            return;
        const auto axes = loops(made, 0, true);
        auto at = axes.front();
        if (random_.chance(80)) {
            const auto outer = fresh(), inner = fresh();
            if (add(made + ".split(" + at + ", " + outer + ", " + inner + ", " + factor() + ")"))
                at = outer;
        }
        if (random_.chance(25)) {
            across_threads(made);
            return;
        }
        if (random_.chance(50)) {
            std::string order = at;
            for (const auto& loop : loops(made, 0, true))
                if (loop != at)
                    order += ", " + loop;
            for (const auto& loop : loops(made, 0, false))
                order += ", " + loop;
            add(made + ".reorder(" + order + ")");
            for (const auto& loop : loops(made, 0, false))
                if (random_.chance(60))
                    add(made + ".unroll(" + loop + ")");
        }
        const auto sources = read_graph(script_.state())->reads(made, 0);
        const auto stages = std::to_string(random_.pick({1, 2, 2, 3, 4}));
        for (const auto& source : sources) {
            if (source == made || random_.chance(25))
                continue;
            const auto copy = source + "_" + fresh();
            if (!add(copy + " = " + made + ".cache_read(" + source + ", " +
                     random_.pick({"shared", "shared", "shared", "register"}) + ")") ||
                !add(copy + ".compute_at(" + made + ", " + at + ")"))
                continue;
            if (random_.chance(35))
                vectorized(copy);
            if (random_.chance(20))
                bound_to_threads(copy);
            if (random_.chance(15))
                add(copy + ".pad_storage(" + script_.state().declared(copy).variables.back() +
                    ", 1)");
            if (random_.chance(70))
                add(copy + ".pipeline(" + stages + ")");
            if (random_.chance(25))
                second_level(made, copy);
        }
    }

    void second_level(const std::string& made, const std::string& copy) {
        const auto axes = loops(made, 0, true);
        const auto inner = copy + "_r";
        if (axes.size() < 2 || !add(inner + " = " + made + ".cache_read(" + copy + ", register)") ||
            !add(inner + ".compute_at(" + made + ", " + axes[1] + ")"))
            return;
        if (random_.chance(70))
            add(inner + ".pipeline(" + random_.pick({"2", "2", "3"}) + ")");
    }

    ScriptLines& script_;
    Random& random_;
    int fresh_ = 0;
    std::map<std::string, std::string> axes_; // of loops: the level
};

constexpr int kTensorShare = 30; // of a hundred pairs
constexpr int kPersistentShare = 25;

// Loops of blocks that stay, in some pairs.
void keep_blocks(ScriptLines& script, Random random) {
    if (!random.chance(kPersistentShare))
        return;
    std::vector<std::string> lines;
    for (const auto& stage : script.state().stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d)
            for (const auto& loop : stage->definitions[d].loops)
                if (loop.numbers.unit == device::Unit::Grid && random.chance(70))
                    lines.push_back(definition_name(stage->name, static_cast<int>(d)) +
                                    ".persistent(" + loop.name + ")");
    for (const auto& line : lines)
        script.add(line);
}

PipelinePtr loaded(const std::string& text) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", text), {});
    return loaded ? loaded->pipeline : nullptr;
}

// A pair of random seeds; an empty schedule: the pipeline breaks a rule of the language.
Pair drawn(std::uint64_t seed, std::uint64_t attempt) {
    Pair pair;
    pair.seed = seed;
    pair.on_device = true;
    Random random(combine(seed, 11));
    const bool tensor = random.chance(kTensorShare);
    TensorProgram program;
    if (tensor)
        program = random_tensor_program(combine(seed, attempt));
    pair.pipeline = tensor ? program.text : random_pipeline(combine(seed, attempt));
    const auto pipeline = loaded(pair.pipeline);
    if (!pipeline)
        return pair;
    ScriptLines script(pipeline, device::generic_gpu());
    if (tensor)
        schedule_tensor_program(program, script, random);
    else
        GpuScript(script, random).run();
    keep_blocks(script, Random(combine(seed, 17)));
    pair.schedule = script.text();
    return pair;
}

} // namespace

Pair random_gpu_pair(std::uint64_t seed) {
    for (std::uint64_t attempt = 0;; ++attempt)
        if (auto pair = drawn(seed, attempt); !pair.schedule.empty())
            return pair;
}

} // namespace loopscope::fuzz
