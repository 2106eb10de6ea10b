#include "compiler/run/simt_interpreter/simt_interpreter.h"

#include "compiler/run/simt_interpreter/machine.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

namespace loopscope {

namespace simt_interpreter {

namespace {

using lower::Argument;
using lower::DeviceBuffer;
using lower::Program;
using lower::Role;

constexpr std::int64_t kMaxThreads = 1024; // of a block, on every GPU

class Runner {
public:
    Runner(const Program& program, const std::map<std::string, Buffer>& inputs,
           const SimtOptions& options)
        : program_(program),
          inputs_(inputs),
          options_(options),
          memory_(options.memory_limit),
          judge_(memory_, findings_) {}

    SimtRun run() {
        for (const auto& symbol : program_.symbols)
            if (!options_.symbols.count(symbol))
                throw Stop{error("the symbol " + symbol + " has no value")};
        for (const auto& a : program_.arguments)
            argument(a);
        for (const auto& b : program_.buffers)
            memory_.make_global(add(b.buffer, b.type, b.extents));
        for (std::uint32_t l = 0; l < program_.launches.size() && !progress_.deadlock; ++l)
            launch(l);
        SimtRun result;
        for (const auto& a : program_.arguments)
            if (a.role == Role::Output)
                result.outputs.emplace(a.buffer, window(a));
        result.findings = findings_.take();
        result.launches = std::move(launches_);
        result.steps = progress_.steps;
        return result;
    }

private:
    std::vector<std::int64_t> values(const std::vector<Extent>& extents) const {
        std::vector<std::int64_t> out;
        for (const auto& e : extents)
            out.push_back(e.value(options_.symbols));
        return out;
    }

    std::uint32_t add(const std::string& name, ScalarType type,
                      const std::vector<Extent>& extents) {
        return globals_[name] = memory_.add(name, type, Space::Global, values(extents));
    }

    void argument(const Argument& a) {
        auto number = add(a.buffer, a.type, a.extents);
        if (a.role == Role::Output)
            return memory_.make_global(number);
        auto found = inputs_.find(a.buffer);
        if (found == inputs_.end())
            throw Stop{error("the input " + a.buffer + " is missing")};
        const auto& expected = memory_[number].extents;
        if (found->second.type != a.type || found->second.extents != expected)
            throw Stop{error("the input " + a.buffer + " is " + name(found->second.type) +
                             shape_text(found->second.extents) + ", not " + name(a.type) +
                             shape_text(expected))};
        memory_.use_input(number, found->second);
    }

    void launch(std::uint32_t number) {
        auto code =
            compile(program_.launches[number], {program_, options_.symbols, memory_, globals_});
        check_size(code);
        SimtLaunchRun figures;
        figures.name = code.name;
        figures.threads = code.shape.threads();
        figures.blocks = code.shape.blocks();
        figures.shared_bytes = make_allocations(code);
        auto written = watch_written(code);
        take_slots(written, false);
        judge_.begin_launch(code, number + 1);
        Machine(code, memory_, judge_, findings_, options_, progress_, number + 1).run();
        judge_.end_launch();
        take_slots(written, true);
        for (auto store : code.allocations)
            memory_.release(store);
        collect(code, figures);
        launches_.push_back(std::move(figures));
    }

    // Gives the bytes of shared memory, counted as lower::shared_bytes does.
    std::int64_t make_allocations(const LaunchCode& code) {
        const auto warps = static_cast<std::uint32_t>((code.shape.threads() + kWarp - 1) / kWarp);
        std::int64_t all = 0;
        std::vector<const Store*> unplanned;
        for (auto store : code.allocations) {
            const auto& s = memory_[store];
            if (s.space == Space::Private) {
                memory_.make_private(store, warps);
                continue;
            }
            memory_.make_shared(store);
            const auto bytes = s.count * s.element_bytes;
            if (s.offset >= 0)
                all = std::max(all, s.offset + bytes);
            else
                unplanned.push_back(&s);
        }
        for (const auto* s : unplanned)
            all = lower::aligned(lower::aligned(all, s->alignment) + s->count * s->element_bytes,
                                 lower::kSharedAlignment);
        memory_.find_aliases(code.allocations);
        return all;
    }

    static void check_size(const LaunchCode& code) {
        check_product({&code.shape.block}, kMaxThreads,
                      "the launch " + code.name + " has blocks of more than 1024 threads");
        check_product({&code.shape.grid, &code.shape.cluster},
                      std::numeric_limits<std::uint32_t>::max(),
                      "the launch " + code.name + " has too many blocks to interpret");
    }

    using Dimensions = std::array<lower::LaunchDimension, 3>;
    static void check_product(std::initializer_list<const Dimensions*> units, std::int64_t most,
                              const std::string& otherwise) {
        for (const auto* unit : units)
            for (const auto& d : *unit) {
                if (d.extent > most)
                    throw Stop{error(otherwise)};
                most /= d.extent;
            }
    }

    // Elements of global memory that a launch writes are watched for races.
    std::set<std::uint32_t> watch_written(const LaunchCode& code) {
        std::set<std::uint32_t> written;
        for (const auto& a : code.accesses)
            if (code.sites[a.site].deed != Deed::Reads && memory_[a.store].space == Space::Global)
                written.insert(a.store);
        for (const auto& call : code.calls)
            for (const auto& operand : call.operands)
                if (code.sites[call.site].deed == Deed::Writes &&
                    memory_[operand.store].space == Space::Global)
                    written.insert(operand.store);
        for (const auto& [name, store] : globals_)
            memory_[store].watched = false;
        for (auto store : written)
            memory_.watch(store);
        return written;
    }

    // Buffers of the device that lie at the same place: a launch's write to one destroys what is in
    // the others. It may begin with either, so that of two that it writes, neither holds anything
    // behind it.
    void take_slots(const std::set<std::uint32_t>& written, bool behind) {
        for (const auto& taker : program_.buffers)
            for (const auto& other : program_.buffers) {
                auto t = globals_.at(taker.buffer), o = globals_.at(other.buffer);
                if (t == o || !written.count(t) || !overlap(taker, other) ||
                    (behind && !written.count(o)))
                    continue;
                memory_[o].written.assign(memory_[o].written.size(), 0);
                memory_[o].overwritten_by = taker.buffer;
            }
    }

    bool overlap(const DeviceBuffer& a, const DeviceBuffer& b) {
        auto end = [&](const DeviceBuffer& x) {
            const auto& s = memory_[globals_.at(x.buffer)];
            return x.offset + s.count * s.element_bytes;
        };
        return a.offset >= 0 && b.offset >= 0 && a.offset < end(b) && b.offset < end(a);
    }

    static void add_counts(SimtCounts& to, const SimtCounts& from) {
        for (auto field :
             {&SimtCounts::flops, &SimtCounts::integer_operations, &SimtCounts::tensor_flops,
              &SimtCounts::global_loads, &SimtCounts::global_stores,
              &SimtCounts::global_load_sectors, &SimtCounts::global_store_sectors,
              &SimtCounts::global_load_bytes, &SimtCounts::global_store_bytes,
              &SimtCounts::shared_accesses, &SimtCounts::shared_passes,
              &SimtCounts::shared_passes_least, &SimtCounts::shared_bytes, &SimtCounts::atomics,
              &SimtCounts::asynchronous_bytes, &SimtCounts::barriers, &SimtCounts::shuffles})
            to.*field += from.*field;
    }

    static void collect(const LaunchCode& code, SimtLaunchRun& figures) {
        auto add = [&](const NodeId& origin, const SimtCounts& counts) {
            add_counts(figures.by_origin[origin], counts);
            add_counts(figures.total, counts);
        };
        for (const auto& site : code.sites)
            add(*site.origin, site.counts);
        for (const auto& step : code.steps) {
            if (!step.origin)
                continue;
            SimtCounts counts;
            auto cost = step.cost * step.lanes;
            counts.flops = cost.flops;
            counts.integer_operations = cost.integer_operations;
            add(*step.origin, counts);
        }
    }

    // What the caller sees of an output. Elements that were never written are reported, if all
    // launches came to their end.
    Buffer window(const Argument& a) {
        const auto& s = memory_[globals_.at(a.buffer)];
        auto extents = a.window.empty() ? s.extents : values(a.window);
        auto made = make_buffer(a.type, extents);
        if (!made)
            throw Stop{made.errors().front()};
        auto out = std::move(made).value();
        std::vector<std::int64_t> at(extents.size(), 0);
        for (std::int64_t i = 0; i < out.count(); ++i) {
            std::int64_t from = 0;
            for (std::size_t d = 0; d < extents.size(); ++d)
                from += (at[d] - (a.mins.empty() ? 0 : a.mins[d])) * s.strides[d];
            if (s.written[static_cast<std::size_t>(from)] != s.stamp && !progress_.deadlock)
                report_unwritten(s, from);
            std::memcpy(out.data.data() + i * s.element_bytes, s.data + from * s.element_bytes,
                        static_cast<std::size_t>(s.element_bytes));
            for (std::size_t d = extents.size(); d-- > 0 && ++at[d] == extents[d];)
                at[d] = 0;
        }
        return out;
    }

    void report_unwritten(const Store& s, std::int64_t element) {
        findings_.report(SimtFinding::Kind::UninitializedRead, &no_origin_, nullptr, &s.name, [&] {
            return place_text(s, element) + " of the output was never written";
        });
    }

    const Program& program_;
    const std::map<std::string, Buffer>& inputs_;
    const SimtOptions& options_;
    Memory memory_;
    Findings findings_;
    Judge judge_;
    Progress progress_;
    std::map<std::string, std::uint32_t> globals_;
    std::vector<SimtLaunchRun> launches_;
    const NodeId no_origin_{};
};

} // namespace

} // namespace simt_interpreter

Result<SimtRun> run_simt_program(const lower::Program& program,
                                 const std::map<std::string, Buffer>& inputs,
                                 const SimtOptions& options) {
    for (const auto& launch : program.launches)
        if (!lower::on_device(launch))
            return error("the launch " + launch.name + " is on the " + launch.place,
                         "the interpreter of loop programs runs launches on the host");
    try {
        return simt_interpreter::Runner(program, inputs, options).run();
    } catch (const simt_interpreter::Stop& stop) {
        return stop.diagnostic;
    }
}

} // namespace loopscope
