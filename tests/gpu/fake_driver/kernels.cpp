// What kernels do: limits, faults and hangs as they were asked for, and the meaning of the loop
// program they were made from.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/program_parser.h"
#include "compiler/lower/statements.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "tests/gpu/fake_driver/state.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace loopscope::fake {

namespace {

std::string kernel_name(std::string launch) {
    for (char& c : launch)
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return launch;
}

bool same_geometry(const Launch& launch, const lower::LaunchShape& shape) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (launch.grid[axis] != shape.blocks_along()[axis] ||
            launch.block[axis] != shape.block[axis].extent)
            return false;
    return true;
}

// Puts what the caller sees of an output into the whole array.
bool write_back(const lower::Argument& argument, CuPointer pointer, const Buffer& window) {
    const auto whole = hints(argument.extents);
    const auto element = static_cast<std::size_t>(bytes(argument.type));
    std::size_t size = element;
    for (auto extent : whole)
        size *= static_cast<std::size_t>(extent);
    if (!state().find(pointer, size))
        return false;
    auto* to = reinterpret_cast<std::byte*>(pointer);
    std::vector<std::int64_t> at(whole.size(), 0);
    for (std::int64_t i = 0; i < window.count(); ++i) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < whole.size(); ++d)
            place = place * whole[d] + at[d] - argument.mins[d];
        std::memcpy(to + static_cast<std::size_t>(place) * element,
                    window.data.data() + static_cast<std::size_t>(i) * element, element);
        for (std::size_t d = whole.size(); d-- > 0 && ++at[d] == window.extents[d];)
            at[d] = 0;
    }
    if (number("FAKE_CUDA_WRONG", 0) && window.count() > 0) {
        std::int64_t first = 0;
        for (std::size_t d = 0; d < whole.size(); ++d)
            first = first * whole[d] - argument.mins[d];
        to[static_cast<std::size_t>(first + 1) * element - 1] ^= std::byte{0x40};
    }
    return true;
}

CuResult interpret(Meaning& meaning) {
    std::map<std::string, Buffer> inputs;
    for (const auto& argument : meaning.program.arguments) {
        auto found = meaning.pointers.find(argument.buffer);
        if (argument.role != lower::Role::Input || found == meaning.pointers.end())
            continue;
        auto array = make_buffer(argument.type, hints(argument.extents));
        if (!array || !state().find(found->second, array->data.size()))
            return gpu::kCuIllegalAddress;
        std::memcpy(array->data.data(), reinterpret_cast<const void*>(found->second),
                    array->data.size());
        inputs.emplace(argument.buffer, std::move(*array));
    }
    auto run = run_simt_program(meaning.program, inputs);
    if (!run) {
        log("interpreter: " + format(run.errors()));
        return gpu::kCuLaunchFailed;
    }
    for (const auto& argument : meaning.program.arguments)
        if (argument.role == lower::Role::Output &&
            !write_back(argument, meaning.pointers.at(argument.buffer),
                        run->outputs.at(argument.buffer)))
            return gpu::kCuIllegalAddress;
    meaning.fresh = false;
    return gpu::kCuSuccess;
}

// Parameters behind the arguments: descriptions of arrays for the TMA, one for each kind of
// box.
std::size_t tensor_maps(const lower::Launch& launch) {
    std::set<std::string> boxes;
    lower::visit_statements(launch.body, [&](const lower::Statement& s) {
        if (s.kind != lower::StatementKind::BulkCopy)
            return true;
        auto text = s.operands[1].buffer;
        for (const auto& extent : s.box->extents)
            text += " " + extent.text();
        boxes.insert(text);
        return true;
    });
    return boxes.size();
}

// One launch of the program, which must be the next one; behind the last all of it has run.
CuResult take_part(const Launch& launch, Meaning& meaning) {
    const auto& program = meaning.program;
    const auto number = launch.function->number;
    const auto& wanted = program.launches[number];
    const auto shape = lower::launch_shape(wanted);
    if (number != meaning.next || !shape || !same_geometry(launch, *shape) ||
        launch.arguments.size() != wanted.arguments.size() + tensor_maps(wanted)) {
        log("the launch of " + launch.function->name + " is not what the program says");
        return gpu::kCuLaunchFailed;
    }
    for (std::size_t i = 0; i < wanted.arguments.size(); ++i) {
        auto [found, first] = meaning.pointers.emplace(wanted.arguments[i], launch.arguments[i]);
        if (!first && found->second != launch.arguments[i] && number > 0) {
            log(wanted.arguments[i] + " is at two places");
            return gpu::kCuLaunchFailed;
        }
        found->second = launch.arguments[i];
    }
    meaning.next = (number + 1) % program.launches.size();
    return meaning.next == 0 && meaning.fresh ? interpret(meaning) : gpu::kCuSuccess;
}

// "out", or "out@3": with three blocks along x.
bool is_meant(const std::string& text, const Launch& launch) {
    return text == launch.function->name ||
           text == launch.function->name + "@" + std::to_string(launch.grid[0]);
}

// STATUS:KERNEL
CuResult planted_fault(const Launch& launch) {
    const auto text = setting("FAKE_CUDA_FAULT");
    const auto colon = text.find(':');
    return colon != std::string::npos && is_meant(text.substr(colon + 1), launch)
               ? std::atoi(text.c_str())
               : gpu::kCuSuccess;
}

} // namespace

std::optional<Meaning> meaning_of(const std::vector<Function>& functions) {
    const auto folder = setting("FAKE_CUDA_PROGRAMS");
    if (folder.empty())
        return std::nullopt;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".program")
            continue;
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        auto program = lower::parse_program(text.str());
        if (!program) {
            log(entry.path().string() + ": " + format(program.errors()));
            continue;
        }
        bool same = program->launches.size() == functions.size();
        for (std::size_t i = 0; same && i < functions.size(); ++i)
            same = kernel_name(program->launches[i].name) == functions[i].name &&
                   program->launches[i].arguments.size() + tensor_maps(program->launches[i]) ==
                       functions[i].parameters;
        if (same)
            return Meaning{std::move(*program), {}, 0, true};
    }
    return std::nullopt;
}

CuResult run(const Launch& launch) {
    auto& s = state();
    s.clock += 1e-6 * static_cast<double>(number("FAKE_CUDA_KERNEL_US", 10));
    if (is_meant(setting("FAKE_CUDA_CRASH"), launch)) {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    if (is_meant(setting("FAKE_CUDA_HANG"), launch))
        s.hangs = true;
    if (auto fault = planted_fault(launch); fault != gpu::kCuSuccess)
        return s.broken = fault;
    for (auto argument : launch.arguments)
        if (!s.find(argument, 1))
            return s.broken = gpu::kCuIllegalAddress;
    auto& meaning = launch.function->module->meaning;
    const auto status = meaning ? take_part(launch, *meaning) : gpu::kCuSuccess;
    return s.broken = status;
}

} // namespace loopscope::fake
