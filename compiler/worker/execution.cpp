#include "compiler/worker/execution.h"

#include <algorithm>
#include <cstring>

namespace loopscope::worker {

namespace {

std::vector<std::int64_t> values(const std::vector<Extent>& extents) {
    std::vector<std::int64_t> list;
    for (const auto& extent : extents)
        list.push_back(extent.hint());
    return list;
}

// Copies the window that begins at `offsets` of a row-major array, row by row.
void copy_window(const Buffer& whole, const std::vector<std::int64_t>& offsets, Buffer& window) {
    const auto element = static_cast<std::size_t>(bytes(whole.type));
    const std::size_t rank = whole.extents.size();
    if (rank == 0 || window.data.empty()) {
        std::copy_n(whole.data.begin(), window.data.size(), window.data.begin());
        return;
    }
    const std::size_t row = static_cast<std::size_t>(window.extents.back()) * element;
    std::vector<std::int64_t> index(rank, 0);
    for (std::size_t done = 0; done < window.data.size(); done += row) {
        std::int64_t position = 0;
        for (std::size_t d = 0; d < rank; ++d)
            position = position * whole.extents[d] + index[d] + offsets[d];
        std::memcpy(window.data.data() + done,
                    whole.data.data() + static_cast<std::size_t>(position) * element, row);
        for (std::size_t d = rank - 1; d-- > 0;) {
            if (++index[d] < window.extents[d])
                break;
            index[d] = 0;
        }
    }
}

} // namespace

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
        auto buffer = make_buffer(argument.type, values(argument.extents));
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
        auto window = make_buffer(argument.type, values(argument.window));
        if (!window)
            return window.errors();
        std::vector<std::int64_t> offsets;
        for (auto least : argument.mins)
            offsets.push_back(-least);
        copy_window(whole, offsets, *window);
        windows.emplace(argument.buffer, std::move(*window));
    }
    return windows;
}

} // namespace loopscope::worker
