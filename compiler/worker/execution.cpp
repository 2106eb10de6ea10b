#include "compiler/worker/execution.h"

#include "compiler/run/window.h"

#include <algorithm>

namespace loopscope::worker {

namespace {} // namespace

Result<Execution> Execution::prepare(const lower::Program& program,
                                     const std::map<std::string, Buffer>& inputs) {
    Execution execution;
    for (const auto& argument : program.arguments) {
        if (argument.role == lower::Role::Input) {
            auto input = inputs.find(argument.buffer);
            if (input == inputs.end())
                return error("there is no array for the input `" + argument.buffer + "`");
            // Generated code reads inputs only; its interface does not say so for each pointer.
            execution.pointers_.push_back(const_cast<std::byte*>(input->second.data.data()));
            continue;
        }
        auto buffer = make_buffer(argument.type, hints(argument.extents));
        if (!buffer)
            return buffer.errors();
        auto& kept = execution.written_[argument.buffer] = std::move(*buffer);
        execution.pointers_.push_back(kept.data.data());
    }
    return execution;
}

void Execution::poison() {
    for (auto& [name, buffer] : written_)
        std::fill(buffer.data.begin(), buffer.data.end(), std::byte{0xa5});
}

Result<std::map<std::string, Buffer>> Execution::outputs(const lower::Program& program) const {
    std::map<std::string, Buffer> windows;
    for (const auto& argument : program.arguments) {
        if (argument.role != lower::Role::Output)
            continue;
        const auto& whole = written_.at(argument.buffer);
        std::vector<std::int64_t> offsets;
        for (auto least : argument.mins)
            offsets.push_back(-least);
        auto window = window_of(whole, offsets, hints(argument.window));
        if (!window)
            return window.errors();
        windows.emplace(argument.buffer, std::move(*window));
    }
    return windows;
}

} // namespace loopscope::worker
