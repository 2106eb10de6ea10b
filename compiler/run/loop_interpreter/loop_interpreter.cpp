#include "compiler/run/loop_interpreter/loop_interpreter.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/run/loop_interpreter/code.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace loopscope {

namespace loop_interpreter {

namespace {

using lower::Argument;
using lower::ForKind;
using lower::Program;
using lower::Role;
using lower::StatementKind;

class Machine {
public:
    Machine(const LoopInterpreterOptions& options, Memory& memory, Code& code)
        : options_(options), memory_(memory), code_(code) {}

    void run(Node& n) {
        step();
        ++n.executions;
        switch (n.kind) {
        case StatementKind::Block: children(n); break;
        case StatementKind::For: loop(n); break;
        case StatementKind::If:
            instructions(n.head);
            if (code_.cells[n.condition])
                run(n.children[0]);
            else if (n.children.size() > 1)
                run(n.children[1]);
            break;
        case StatementKind::Let:
            instructions(n.head);
            children(n);
            break;
        case StatementKind::Atomic:
        case StatementKind::Store:
            instructions(n.head);
            store(code_.accesses[n.access]);
            break;
        case StatementKind::Allocate:
            memory_.allocate(n.store);
            children(n);
            break;
        case StatementKind::Prefetch:
            instructions(n.head);
            element(code_.accesses[n.access], 0);
            break;
        case StatementKind::Evaluate: instructions(n.head); break;
        case StatementKind::Barrier:
        case StatementKind::Copy:
        case StatementKind::BulkCopy:
        case StatementKind::Acquire:
        case StatementKind::Commit:
        case StatementKind::Wait:
        case StatementKind::Release:
        case StatementKind::Intrinsic:
        case StatementKind::Threads: break; // of devices, which run_loop_program refuses
        }
    }

    std::uint64_t steps = 0;

private:
    void step() {
        if (++steps > options_.step_limit) {
            auto d = error("the loop program takes more than " +
                               std::to_string(options_.step_limit) + " steps",
                           "make the pipeline's parameters smaller, or raise the limit");
            d.code = "step-limit";
            throw Stop{d};
        }
        if ((steps & 0xfff) == 0 && options_.cancel &&
            options_.cancel->load(std::memory_order_relaxed)) {
            auto d = error("cancelled");
            d.code = "cancelled";
            throw Stop{d};
        }
    }

    void children(Node& n) {
        for (auto& child : n.children)
            run(child);
    }

    void loop(Node& n) {
        instructions(n.head);
        auto begin = static_cast<std::int64_t>(code_.cells[n.begin]),
             extent = static_cast<std::int64_t>(code_.cells[n.extent]);
        bool concurrent = n.for_kind == ForKind::Parallel || n.for_kind == ForKind::Vectorized ||
                          n.for_kind == ForKind::Bound;
        if (concurrent)
            memory_.levels.push_back(
                {memory_.next_execution++, 0, n.for_kind == ForKind::Vectorized, n.origin});
        if (n.footprint >= 0)
            begin_footprint(static_cast<std::size_t>(n.footprint));
        for (std::int64_t i = 0; i < extent; ++i) {
            auto value = static_cast<Cell>(begin + i);
            code_.cells[n.variable] =
                n.narrow ? put<std::int32_t>(static_cast<std::int32_t>(value)) : value;
            if (concurrent)
                memory_.levels.back().iteration = static_cast<std::uint32_t>(i & 0x3fffffff);
            children(n);
        }
        if (n.footprint >= 0)
            end_footprint(static_cast<std::size_t>(n.footprint));
        if (concurrent)
            memory_.levels.pop_back();
    }

    void begin_footprint(std::size_t f) {
        auto& loop = memory_.footprints[f];
        loop.running = true;
        ++loop.execution;
        for (auto& s : memory_.stores())
            s.in_execution[f] = {};
    }

    void end_footprint(std::size_t f) {
        auto& loop = memory_.footprints[f];
        loop.running = false;
        ++loop.result.executions;
        DistinctBytes total;
        auto greatest = [](DistinctBytes& most, const DistinctBytes& now) {
            most.touched = std::max(most.touched, now.touched);
            most.read = std::max(most.read, now.read);
            most.written = std::max(most.written, now.written);
        };
        for (const auto& s : memory_.stores()) {
            const auto& now = s.in_execution[f];
            total.touched += now.touched;
            total.read += now.read;
            total.written += now.written;
            if (now.touched > 0)
                greatest(loop.result.by_buffer[s.name], now);
        }
        greatest(loop.result.total, total);
    }

    void instructions(const Run& range) {
        auto* cells = code_.cells.data();
        for (auto i = range.begin; i < range.end; ++i) {
            const auto& instruction = code_.instructions[i];
            if (instruction.run)
                instruction.run(cells, instruction);
            else
                load(code_.accesses[instruction.access], instruction.result);
        }
    }

    // The element that a lane accesses; -1 (and a report) when it is outside.
    std::int64_t element(Access& a, std::uint32_t lane) {
        const auto& s = memory_.store(a.site.store);
        if (a.flat) {
            auto index = index_at(a, lane, 0);
            return index >= 0 && index < s.count ? index : outside(a, lane);
        }
        std::int64_t flat = 0;
        for (std::size_t d = 0; d < a.indices.size(); ++d) {
            auto index = index_at(a, lane, d);
            if (index < 0 || index >= s.extents[d])
                return outside(a, lane);
            flat = flat * s.extents[d] + index;
        }
        return flat;
    }

    std::int64_t index_at(const Access& a, std::uint32_t lane, std::size_t d) const {
        return static_cast<std::int64_t>(code_.cells[a.indices[d] + (a.scalar[d] ? 0 : lane)]);
    }

    std::int64_t outside(const Access& a, std::uint32_t lane) {
        const auto& s = memory_.store(a.site.store);
        memory_.report(LoopFinding::Kind::OutOfBounds, *a.site.origin, s.name, [&] {
            std::string where;
            for (std::size_t d = 0; d < a.indices.size(); ++d)
                where += (d ? ", " : "") + std::to_string(index_at(a, lane, d));
            return std::string(a.prefetches    ? "prefetches "
                               : a.site.writes ? "writes "
                                               : "reads ") +
                   s.name + "[" + where + "], whose extents are " + shape_text(s.extents);
        });
        return -1;
    }

    bool is_on(const Access& a, std::uint32_t lane) const {
        return a.mask < 0 || code_.cells[static_cast<std::size_t>(a.mask) + lane];
    }

    void load(Access& a, std::uint32_t result) {
        for (std::uint32_t lane = 0; lane < a.lanes; ++lane) {
            auto index = is_on(a, lane) ? element(a, lane) : -1;
            code_.cells[result + lane] = index < 0 ? 0 : memory_.load(a.site, index);
        }
    }

    void store(Access& a) {
        if (a.lanes > 1)
            memory_.begin_vector_store();
        for (std::uint32_t lane = 0; lane < a.lanes; ++lane) {
            auto index = is_on(a, lane) ? element(a, lane) : -1;
            if (index < 0)
                continue;
            auto value = code_.cells[a.value + (a.scalar_value ? 0 : lane)];
            if (a.combine.run) {
                memory_.combine(a.site, index, [&](Cell old) {
                    code_.cells[a.combine.a] = old;
                    code_.cells[a.combine.b] = value;
                    a.combine.run(code_.cells.data(), a.combine);
                    return code_.cells[a.combine.result];
                });
                continue;
            }
            memory_.write(a.site, index, value);
            if (a.lanes > 1)
                memory_.check_lanes(a.site, index);
        }
    }

    const LoopInterpreterOptions& options_;
    Memory& memory_;
    Code& code_;
};

std::vector<std::int64_t> values(const std::vector<Extent>& extents,
                                 const LoopInterpreterOptions& options) {
    std::vector<std::int64_t> out;
    for (const auto& e : extents)
        out.push_back(e.value(options.symbols));
    return out;
}

void bind_arguments(const Program& program, const std::map<std::string, Buffer>& inputs,
                    Memory& memory, const std::map<std::string, std::uint32_t>& stores) {
    for (const auto& a : program.arguments) {
        auto number = stores.at(a.buffer);
        if (a.role == Role::Output) {
            memory.allocate(number);
            continue;
        }
        auto found = inputs.find(a.buffer);
        if (found == inputs.end())
            throw Stop{error("the input " + a.buffer + " is missing")};
        const auto& expected = memory.store(number).extents;
        if (found->second.type != a.type || found->second.extents != expected)
            throw Stop{error("the input " + a.buffer + " is " + name(found->second.type) +
                             shape_text(found->second.extents) + ", not " + name(a.type) +
                             shape_text(expected))};
        memory.use_input(number, found->second);
    }
}

// What the caller sees of an output; elements that were never written are reported.
Buffer window(const Argument& a, Memory& memory, std::uint32_t number,
              const LoopInterpreterOptions& options) {
    auto& s = memory.store(number);
    auto extents = a.window.empty() ? s.extents : values(a.window, options);
    auto made = make_buffer(a.type, extents);
    if (!made)
        throw Stop{made.errors().front()};
    auto out = std::move(made).value();
    auto size = bytes(a.type);
    std::vector<std::int64_t> at(extents.size(), 0);
    for (std::int64_t i = 0; i < out.count(); ++i) {
        std::int64_t from = 0;
        for (std::size_t d = 0; d < extents.size(); ++d)
            from = from * s.extents[d] + at[d] - (a.mins.empty() ? 0 : a.mins[d]);
        if (s.written[static_cast<std::size_t>(from)] != s.epoch)
            memory.report(LoopFinding::Kind::UninitializedRead, {}, a.buffer, [&] {
                return memory.place(s, from) + " of the output was never written";
            });
        std::memcpy(out.data.data() + i * size, s.data + from * size,
                    static_cast<std::size_t>(size));
        for (std::size_t d = extents.size(); d-- > 0 && ++at[d] == extents[d];)
            at[d] = 0;
    }
    return out;
}

void collect_costs(const Node& n, LoopRun& run) {
    auto& counts = run.by_origin[*n.origin];
    auto cost = n.cost * n.executions;
    counts.flops += cost.flops;
    counts.integer_operations += cost.integer_operations;
    run.total.flops += cost.flops;
    run.total.integer_operations += cost.integer_operations;
    for (const auto& child : n.children)
        collect_costs(child, run);
}

void collect_accesses(const Code& code, Memory& memory, LoopRun& run) {
    for (const auto& a : code.accesses) {
        auto& origin = run.by_origin[*a.site.origin];
        auto& buffer = run.by_buffer[memory.store(a.site.store).name];
        (a.site.writes ? origin.stores : origin.loads) += a.site.elements;
        (a.site.writes ? buffer.stores : buffer.loads) += a.site.elements;
        (a.site.writes ? run.total.stores : run.total.loads) += a.site.elements;
    }
    for (const auto& s : memory.stores()) {
        auto& distinct = run.by_buffer[s.name].distinct;
        for (auto bits_of : s.touched) {
            distinct.touched += bits_of ? bytes(s.type) : 0;
            distinct.read += bits_of & 1 ? bytes(s.type) : 0;
            distinct.written += bits_of & 2 ? bytes(s.type) : 0;
        }
    }
}

LoopRun run(const Program& program, const std::map<std::string, Buffer>& inputs,
            const LoopInterpreterOptions& options) {
    Memory memory(options);
    std::map<std::string, std::uint32_t> stores;
    auto code = compile(program, options, memory, stores);
    bind_arguments(program, inputs, memory, stores);
    Machine machine(options, memory, code);
    for (auto& launch : code.launches)
        machine.run(launch);
    LoopRun result;
    for (const auto& a : program.arguments)
        if (a.role == Role::Output)
            result.outputs.emplace(a.buffer, window(a, memory, stores.at(a.buffer), options));
    for (const auto& launch : code.launches)
        collect_costs(launch, result);
    collect_accesses(code, memory, result);
    for (std::size_t f = 0; f < options.footprints.size(); ++f)
        result.footprints[options.footprints[f]] = memory.footprints[f].result;
    result.findings = std::move(memory.findings);
    result.steps = machine.steps;
    return result;
}

} // namespace

} // namespace loop_interpreter

const char* name(LoopFinding::Kind kind) {
    switch (kind) {
    case LoopFinding::Kind::Conflict: return "conflict";
    case LoopFinding::Kind::OutOfBounds: return "out of bounds";
    case LoopFinding::Kind::UninitializedRead: return "uninitialised read";
    }
    return "";
}

std::string format(const std::vector<LoopFinding>& findings) {
    std::string out;
    for (const auto& f : findings) {
        auto origin = f.origin.text();
        out += std::string(name(f.kind)) + ": " + (origin.empty() ? "" : origin + " ") + f.message +
               " (" + std::to_string(f.count) + " times)\n";
    }
    return out;
}

Result<LoopRun> run_loop_program(const lower::Program& program,
                                 const std::map<std::string, Buffer>& inputs,
                                 const LoopInterpreterOptions& options) {
    if (lower::on_device(program))
        return error("the program has launches on a device",
                     "the interpreter of SIMT programs runs those");
    try {
        return loop_interpreter::run(program, inputs, options);
    } catch (const loop_interpreter::Stop& stop) {
        return stop.diagnostic;
    }
}

} // namespace loopscope
